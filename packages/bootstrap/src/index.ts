export { runAsOperator, createKeyAsOperator, operatorCall } from './run-as-operator.js';
export { generateMasterKey } from '@switchboard/vault';
export { probeProcess, probePublicUrl, type Probe } from './probe-process.js';
export { isResponding, listProcessRecords, localUrl, type ProcessRecord } from './process-records.js';
export { KEEP_ALIVE_MS, type Config } from './config.js';
export { createDrain, type Drain } from './drain-server.js';
export { configFor, describeUnknownVariables } from './config-for.js';
export { ConfigurationError } from './configuration-error.js';
export { createBackup, type CreatedBackup } from './create-backup.js';
export { checkBackup, restoreBackup, type CheckedBackupFile } from './restore-backup.js';
export { embeddedStatus, stopEmbedded } from './embedded-server.js';
export { readConfig } from './env.js';
export { root } from './environment.js';
export { checkMailServer } from '@switchboard/egress';
export { findInstallationPause } from './find-installation-pause.js';
export { inspectDatabase, type DatabaseFacts } from './inspect-database.js';
export type { KeyringStatus, RotationReport } from './keyring.js';
export { mcpClientConfig, type McpAddress, type McpProgram } from './mcp-client-config.js';
export { moveDatabase, type MovedDatabase } from './move-database.js';
export { mayReadMetrics } from './may-read-metrics.js';
export { migrateDatabase } from './migrate-database.js';
export { scrub } from './log.js';
export {
  loadExternalPlatforms,
  type RejectedPlatform,
} from './external-platforms/load-external-platforms.js';
export { listManifests } from './installed-platforms.js';
export { WORK_CHANNEL } from './work-signals.js';
export { listPlatformSetup } from './list-platform-setup.js';
export type { Service } from './service.js';
export { buildWelcomeText } from './build-welcome-text.js';
export { startService } from './start-service.js';
export { version } from './version.js';
