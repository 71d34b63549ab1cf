import { startService } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';
import { printNotice } from '../print-notice.js';

export const worker = (program: Command) =>
  program
    .command('worker')
    .description('run a worker: deliver posts, settle refunds and read metrics until a signal arrives')
    .action(
      toAction(async () => {
        const service = await startService({ app: 'worker', logTo: 'stderr' });
        // Signal handlers are installed before readiness is announced.
        const ended = new Promise<string>((resolve) => {
          for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
            process.on(signal, () => resolve(signal));
          void service.databaseStopped.then(() => resolve('database_stopped'));
        });
        printNotice('The worker is ready.');
        const reason = await ended;
        await service.close();
        return commandOutput({ stopped_by: reason }, 'The worker has stopped.');
      }),
    );
