export { drift, readIntendedSchema, type IntendedSchema } from './drift.js';
export { migrate, type Migrated, type MigrateMode } from './migrate.js';
export {
  migrationState,
  pendingMigrations,
  schemaIsCurrent,
  type MigrationState,
} from './migration-state.js';
export { newMigration } from './new-migration.js';
export { readMigrations, type Migration } from './read-migrations.js';
