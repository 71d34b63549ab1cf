export {
  decodePieces,
  encodePieces,
  type BackupPiece,
  type DatabaseEntry,
  type EndEntry,
  type UnfinishedJob,
} from './backup-entries.js';
export { checkPieces, type CheckedBackup } from './check-pieces.js';
export { dumpDatabase, type SnapshotQuery } from './dump-database.js';
export {
  findDatabaseContent,
  findSchemaMismatch,
  loadDatabase,
  type LoadedDatabase,
  type LoadQuery,
} from './load-database.js';
export { markMoved, markRestored, type RestoreReason } from './mark-restored.js';
