// Backups of a busy installation, commands that are killed, and the recovery of a lost machine: `pnpm test:backup`.
import { runSuite } from './acceptance-suite.mjs';

await runSuite('jest.backup.config.mjs');
