import { configFor, moveDatabase } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { commandOutput } from '../command-result.js';
import { progress } from '../progress.js';
import { toAction } from '../to-action.js';
import { untilInterrupted } from '../until-interrupted.js';

export const databaseMove = (database: Command) =>
  database
    .command('move')
    .description('copy the embedded database to the empty one of DATABASE_URL, while no process runs')
    .option('--to-embedded', 'the other way: from DATABASE_URL to an empty embedded database')
    .action(
      toAction(async ({ toEmbedded = false }: { toEmbedded?: boolean }) => {
        const progressBar = progress('Rows moved:');
        const { from, to, rows, migrated } = await untilInterrupted('Nothing was moved.', (signal) =>
          moveDatabase(configFor('cli'), {
            to: toEmbedded ? 'embedded' : 'external',
            onProgress: (done, total) => progressBar.show(done, total),
            signal,
          }),
        ).finally(() => progressBar.end());
        return commandOutput(
          { from, to, rows, migrated },
          `Moved ${rows} rows from ${from} to ${to}. Both are paused: start every process with the new database, then run \`switchboard resume\` there.`,
        );
      }),
    );
