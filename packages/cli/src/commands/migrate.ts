import { configFor, migrateDatabase } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';

export const migrate = (program: Command) =>
  program
    .command('migrate')
    .description('bring the database to the schema of this version')
    .option('--dry-run', 'only say what is missing')
    .action(
      toAction(async ({ dryRun = false }: { dryRun?: boolean }) => {
        const { applied, state } = await migrateDatabase(configFor('cli'), dryRun ? 'check' : 'auto');
        const { pending, changed, failed, unknown } = state;
        const lines = [
          ...applied.map((name) => `applied   ${name}`),
          ...pending.map((name) => `missing   ${name}`),
          ...changed.map((name) => `changed   ${name}: it was changed after it had been applied`),
          ...failed.map((name) => `failed    ${name}: it began and did not finish; look at it first`),
          ...unknown.map((name) => `newer     ${name}: a newer version has applied it`),
        ];
        return commandOutput(
          { dry_run: dryRun, applied, pending, changed, failed, newer: unknown },
          lines.join('\n') || 'Nothing is missing.',
          changed.length + failed.length > 0 || (!dryRun && pending.length > 0),
        );
      }),
    );
