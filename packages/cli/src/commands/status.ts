import {
  configFor,
  embeddedStatus,
  findInstallationPause,
  isResponding,
  listProcessRecords,
  localUrl,
  probeProcess,
  version,
  type Config,
  type ProcessRecord,
} from '@switchboard/bootstrap';
import type { Pause } from '@switchboard/domain/pauses';
import { presentPause } from '@switchboard/operations';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';

export const status = (program: Command) =>
  program
    .command('status')
    .description('show which processes of this installation run on this machine')
    .action(
      toAction(async () => {
        const config = configFor('cli');
        const [database, rest, mcp] = await Promise.all([
          databaseOf(config),
          processOf(config, 'rest', config.port),
          processOf(config, 'mcp-http', config.mcpPort),
        ]);
        const isReadable = database.kind === 'external' || database.running;
        const pause = isReadable ? await findInstallationPause(config) : null;
        const versions = { version, node_version: process.versions.node };
        const json = {
          ...versions,
          data_dir: config.dataDir,
          database,
          rest,
          mcp,
          pause: presentPause(pause),
        };
        const lines = [
          `Switchboard ${version} on Node.js ${process.versions.node}`,
          `data directory  ${config.dataDir}`,
          `database        ${databaseText(database)}`,
          `REST            ${processText(rest)}`,
          `MCP             ${processText(mcp)}`,
          ...(pause ? [`paused          ${pauseText(pause)}`] : []),
        ];
        return commandOutput(json, lines.join('\n'));
      }),
    );

const pauseText = ({ at, by, cause, reason }: Pause): string =>
  `since ${at.toISOString()} by ${by} (${cause})${reason === null ? '' : `: ${reason}`}`;

type DatabaseStatus =
  | { readonly kind: 'external'; readonly host: string }
  | { readonly kind: 'embedded'; readonly running: false }
  | {
      readonly kind: 'embedded';
      readonly running: true;
      readonly port: number;
      readonly pid: number;
      readonly used_by: number;
    };

async function databaseOf(config: Config): Promise<DatabaseStatus> {
  if (config.databaseUrl !== null) return { kind: 'external', host: new URL(config.databaseUrl).host };
  const server = await embeddedStatus(config);
  if (!server.running) return { kind: 'embedded', running: false };
  return {
    kind: 'embedded',
    running: true,
    port: server.port,
    pid: server.postgresPid,
    used_by: server.leases,
  };
}

function databaseText(database: DatabaseStatus): string {
  if (database.kind === 'external') return `external, ${database.host}`;
  if (!database.running) return 'embedded, not running';
  return `embedded, running on port ${database.port} (process ${database.pid}), used by ${database.used_by} process(es)`;
}

interface ProcessStatus {
  readonly url: string;
  readonly alive: boolean;
  readonly ready: boolean;
  /** The result of `/readyz` for each dependency; null when there is no response. */
  readonly checks: Readonly<Record<string, string>> | null;
  /** A process of another data directory, or another program, responds at `url`. */
  readonly used_by_other: boolean;
}

async function processOf(config: Config, app: ProcessRecord['app'], port: number): Promise<ProcessStatus> {
  const record = listProcessRecords(config).findLast((one) => one.app === app);
  if (!record || !(await isResponding(record))) {
    const url = record?.url ?? localUrl(config, port);
    const used_by_other = (await probeProcess(`${url}/healthz`)) !== null;
    return { url, alive: false, ready: false, checks: null, used_by_other };
  }
  const readiness = await probeProcess(`${record.url}/readyz`);
  const { checks = null } = (readiness?.json ?? {}) as Pick<Partial<ProcessStatus>, 'checks'>;
  return { url: record.url, alive: true, ready: readiness?.status === 200, checks, used_by_other: false };
}

function processText({ url, alive, ready, checks, used_by_other }: ProcessStatus): string {
  if (used_by_other) return `not running; another installation responds at ${url}`;
  if (!alive) return `not running at ${url}`;
  if (ready) return `ready at ${url}`;
  const wrong = Object.entries(checks ?? {}).filter(([, state]) => state !== 'ok');
  return `running at ${url}, not ready: ${wrong.map((entry) => entry.join(' ')).join(', ') || 'no response'}`;
}
