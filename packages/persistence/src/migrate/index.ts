export { findDrift, readIntendedSchema, type IntendedSchema } from './find-drift.js';
export { migrate, type MigrationResult, type MigrateMode } from './migrate.js';
export {
  getMigrationState,
  listPendingMigrations,
  isSchemaCurrent,
  type MigrationState,
} from './get-migration-state.js';
export { withClient } from './database.js';
export { createMigration } from './create-migration.js';
export { readMigrations, type Migration } from './read-migrations.js';
