import {
  configFor,
  isResponding,
  listProcessRecords,
  stopEmbedded,
  type Config,
  type ProcessRecord,
} from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';
import { printNotice } from '../print-notice.js';

/** Beyond the time for which a process lets running requests and jobs finish. */
const EXIT_MS = 30_000;
const POLL_MS = 100;

export const stop = (program: Command) =>
  program
    .command('stop')
    .description('stop MCP and REST on this machine, then the embedded PostgreSQL')
    .action(
      toAction(async () => {
        const config = configFor('cli');
        const stopped: string[] = [];
        const remaining: ProcessRecord[] = [];
        // All before the first is stopped: with it, `pnpm start` stops the others, which no longer respond then.
        const running = await listRunning(config);
        for (const app of ['mcp-http', 'rest'] as const) {
          for (const record of running.filter((one) => one.app === app)) {
            signalToExit(record);
            if (await hasExited(config, record)) stopped.push(NAMES[app]);
            else remaining.push(record);
          }
        }
        const embedded = config.databaseUrl === null && remaining.length === 0;
        if (embedded && (await stopEmbedded(config))) stopped.push('the embedded PostgreSQL');
        for (const { app, pid } of remaining)
          printNotice(`${NAMES[app]} (process ${pid}) did not exit within ${EXIT_MS / 1000} seconds.`);
        const text =
          stopped.length > 0 ? `Stopped ${stopped.join(', ')}.` : `Nothing runs for ${config.dataDir}.`;
        return commandOutput({ stopped: stopped.length > 0 }, text, remaining.length > 0);
      }),
    );

const NAMES = { rest: 'REST', 'mcp-http': 'MCP' };

async function listRunning(config: Config): Promise<readonly ProcessRecord[]> {
  const records = listProcessRecords(config);
  const responding = await Promise.all(records.map(isResponding));
  return records.filter((_, index) => responding[index]);
}

function signalToExit({ pid }: ProcessRecord): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A process removes its record as the last thing before it exits. */
async function hasExited(config: Config, { instance_id }: ProcessRecord): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < EXIT_MS; waitedMs += POLL_MS) {
    if (!listProcessRecords(config).some((record) => record.instance_id === instance_id)) return true;
    await sleep(POLL_MS);
  }
  return false;
}
