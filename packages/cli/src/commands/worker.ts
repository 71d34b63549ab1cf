import { startService } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { act } from '../act.js';
import { answer } from '../outcome.js';
import { tell } from '../tell.js';

export const worker = (program: Command) =>
  program
    .command('worker')
    .description('deliver posts, settle refunds and read numbers, until a signal comes')
    .action(
      act(async () => {
        const service = await startService({ app: 'worker', logTo: 'stderr' });
        // Whoever reads that it is ready may end it at once: so it listens first.
        const ended = new Promise<string>((resolve) => {
          for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
            process.on(signal, () => resolve(signal));
          void service.databaseStopped.then(() => resolve('database_stopped'));
        });
        tell('The worker is ready.');
        const reason = await ended;
        await service.close();
        return answer({ stopped_by: reason }, 'The worker has stopped.');
      }),
    );
