import { checkBackup, configFor, restoreBackup, type CheckedBackupFile } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { commandOutput, type CommandResult } from '../command-result.js';
import { progress } from '../progress.js';
import { toAction } from '../to-action.js';
import { untilInterrupted } from '../until-interrupted.js';
import { formatMegabytes } from './backup.js';

export const restore = (program: Command) =>
  program
    .command('restore <file>')
    .description('restore a backup into an empty database')
    .option('--check', 'only verify that the file is complete and that this installation can restore it')
    .action(
      toAction(async (file: string, { check = false }: { check?: boolean }): Promise<CommandResult> => {
        const verified = progress('Bytes of the backup verified:');
        const written = progress('Rows restored:');
        const options = {
          file,
          checking: (done: number, total: number) => {
            verified.show(done, total);
            if (done === total) verified.end();
          },
          restoring: (done: number, total: number) => written.show(done, total),
        };
        const config = configFor('cli');
        try {
          return await untilInterrupted('Nothing was restored.', async (signal) => {
            if (check) {
              const checked = await checkBackup(config, { ...options, signal });
              return commandOutput({ restored: false, ...present(checked) }, describeBackup(checked));
            }
            const { backup, rows, files, migrated, missingMedia } = await restoreBackup(config, {
              ...options,
              signal,
            });
            return commandOutput(
              {
                restored: true,
                ...present(backup),
                migrated,
                media_restored: files,
                missing_media: missingMedia,
              },
              [
                `Restored ${rows} rows, as of ${backup.database.takenAt}.`,
                ...(migrated.length > 0 ? [`Applied ${migrated.length} newer migration(s).`] : []),
                ...describeMedia(files, missingMedia),
              ].join('\n'),
            );
          });
        } finally {
          verified.end();
          written.end();
        }
      }),
    );

const present = ({ header, database, end, bytes }: CheckedBackupFile) => ({
  bytes,
  version: header.version,
  master_key: header.masterKeyId,
  taken_at: database.takenAt,
  rows: end.rows,
  media_files: { named: database.media.files, included: end.files },
});

const describeBackup = ({ header, database, end, bytes }: CheckedBackupFile): string =>
  `The backup is complete and can be restored: ${end.rows} rows as of ${database.takenAt}, ${end.files} of ${database.media.files} media files, ${formatMegabytes(bytes)}, made by Switchboard ${header.version}.`;

function describeMedia(files: number, missing: readonly string[]): readonly string[] {
  const lines = files > 0 ? [`Restored ${files} media files.`] : [];
  if (missing.length > 0)
    lines.push(
      `${missing.length} media files that posts may use are not in the media store: copy them there, or those posts fail. \`--json\` lists their names.`,
    );
  return lines;
}
