import { configFor, createBackup, type CreatedBackup } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { commandOutput } from '../command-result.js';
import { progress } from '../progress.js';
import { toAction } from '../to-action.js';
import { untilInterrupted } from '../until-interrupted.js';

export const backup = (program: Command) =>
  program
    .command('backup <file>')
    .description('write a sealed backup of the database to a file, while everything runs')
    .option('--media', 'include the media, from the data directory or the bucket')
    .action(
      toAction(async (file: string, { media = false }: { media?: boolean }) => {
        const progressBar = progress('Rows written to the backup:');
        const created = await untilInterrupted('There is no backup.', (signal) =>
          createBackup(configFor('cli'), {
            file,
            withMedia: media,
            onProgress: (done, total) => progressBar.show(done, total),
            signal,
          }),
        ).finally(() => progressBar.end());
        return commandOutput(present(file, media, created), textOf(file, media, created));
      }),
    );

const present = (file: string, withMedia: boolean, { database, end, bytes }: CreatedBackup) => ({
  file,
  bytes,
  taken_at: database.takenAt,
  tables: Object.keys(database.tables).length,
  rows: end.rows,
  media: { included: withMedia, files: database.media.files, written: end.files },
});

function textOf(file: string, withMedia: boolean, { database, end, bytes }: CreatedBackup): string {
  const lines = [
    `Wrote ${end.rows} rows to ${file} (${formatMegabytes(bytes)}), as of ${database.takenAt}.`,
    'It is sealed with the master key: store that key elsewhere. Without it the backup cannot be restored.',
  ];
  if (withMedia) lines.push(`It includes ${end.files} of ${database.media.files} media files.`);
  else if (database.media.files > 0)
    lines.push(
      `${database.media.files} media files are not included: back up their store as well, or add --media.`,
    );
  return lines.join('\n');
}

export const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
