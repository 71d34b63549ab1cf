import { configFor, stopEmbedded } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';

export const stop = (program: Command) =>
  program
    .command('stop')
    .description('stop the embedded PostgreSQL, and with it every process that uses it')
    .action(
      toAction(async () => {
        const config = configFor('cli');
        if (config.databaseUrl !== null) {
          return commandOutput(
            { stopped: false },
            'DATABASE_URL names a PostgreSQL of your own: there is nothing to stop.',
          );
        }
        const stopped = await stopEmbedded(config);
        return commandOutput(
          { stopped },
          stopped
            ? 'The embedded PostgreSQL has been stopped. Processes that used it end by themselves.'
            : `No embedded PostgreSQL runs for ${config.dataDir}.`,
        );
      }),
    );
