import base from './jest.config.mjs';

/** A failover and a rolling restart (`pnpm test:ha`). They take minutes, and need Debian's PostgreSQL. */
export default {
  ...base,
  displayName: 'high availability',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/ha/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 1_800_000,
};
