import { probeProcess, configFor, embeddedStatus, version, type Config } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { localUrl } from '../local-url.js';
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
          processOf(localUrl(config, config.port)),
          processOf(localUrl(config, config.mcpPort)),
        ]);
        const versions = { version, node_version: process.versions.node };
        const json = { ...versions, data_dir: config.dataDir, database, rest, mcp };
        const lines = [
          `Switchboard ${version} on Node.js ${process.versions.node}`,
          `data directory  ${config.dataDir}`,
          `database        ${databaseText(database)}`,
          `REST            ${processText(rest)}`,
          `MCP             ${processText(mcp)}`,
        ];
        return commandOutput(json, lines.join('\n'));
      }),
    );

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
}

async function processOf(url: string): Promise<ProcessStatus> {
  const [health, readiness] = await Promise.all([
    probeProcess(`${url}/healthz`),
    probeProcess(`${url}/readyz`),
  ]);
  const { checks = null } = (readiness?.json ?? {}) as Pick<Partial<ProcessStatus>, 'checks'>;
  return { url, alive: health?.status === 200, ready: readiness?.status === 200, checks };
}

function processText({ url, alive, ready, checks }: ProcessStatus): string {
  if (!alive) return `not running at ${url}`;
  if (ready) return `ready at ${url}`;
  const wrong = Object.entries(checks ?? {}).filter(([, state]) => state !== 'ok');
  return `running at ${url}, not ready: ${wrong.map((entry) => entry.join(' ')).join(', ') || 'no response'}`;
}
