import { configFor, migrateDatabase } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';

export const migrate = (program: Command) =>
  program
    .command('migrate')
    .description('apply pending database migrations')
    .option('--dry-run', 'list pending migrations without applying them')
    .action(
      toAction(async ({ dryRun = false }: { dryRun?: boolean }) => {
        const { applied, state } = await migrateDatabase(configFor('cli'), dryRun ? 'check' : 'auto');
        const { pending, changed, failed, unknown } = state;
        const lines = [
          ...applied.map((name) => `applied   ${name}`),
          ...pending.map((name) => `pending   ${name}`),
          ...changed.map((name) => `changed   ${name}: modified after it was applied`),
          ...failed.map((name) => `failed    ${name}: started but not completed; inspect it first`),
          ...unknown.map((name) => `newer     ${name}: applied by a newer version`),
        ];
        return commandOutput(
          { dry_run: dryRun, applied, pending, changed, failed, newer: unknown },
          lines.join('\n') || 'No pending migrations.',
          changed.length + failed.length > 0 || (!dryRun && pending.length > 0),
        );
      }),
    );
