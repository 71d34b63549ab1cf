import { configFor, stopEmbedded } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';

export const stop = (program: Command) =>
  program
    .command('stop')
    .description('stop the embedded PostgreSQL and every process that uses it')
    .action(
      toAction(async () => {
        const config = configFor('cli');
        if (config.databaseUrl !== null) {
          return commandOutput(
            { stopped: false },
            'DATABASE_URL points to an external PostgreSQL: nothing to stop.',
          );
        }
        const stopped = await stopEmbedded(config);
        return commandOutput(
          { stopped },
          stopped
            ? 'Stopped the embedded PostgreSQL. Processes that used it shut down.'
            : `No embedded PostgreSQL runs for ${config.dataDir}.`,
        );
      }),
    );
