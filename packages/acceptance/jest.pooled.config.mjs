import { fileURLToPath } from 'node:url';
import base from './jest.config.mjs';

const JOURNEYS = [
  '*-journey',
  'refund-race',
  'pause',
  'restore',
  'queue',
  'idempotency',
  'slow-queries',
  'workspace-deletion',
];

/** The journeys with Debian's PgBouncer in transaction mode in front of the database (`pnpm test:ha`). */
export default {
  ...base,
  displayName: 'behind PgBouncer',
  globalSetup: fileURLToPath(new URL('pooler/global-setup.mjs', import.meta.url)),
  globalTeardown: fileURLToPath(new URL('pooler/global-teardown.mjs', import.meta.url)),
  testMatch: JOURNEYS.map((name) => `<rootDir>/src/${name}.test.ts`),
  maxWorkers: 1,
  testTimeout: 900_000,
};
