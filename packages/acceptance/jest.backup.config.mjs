import base from './jest.config.mjs';

/** Backups of busy installations, killed commands, and the recovery of a lost machine (`pnpm test:backup`). */
export default {
  ...base,
  displayName: 'backup',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/backup/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 1_800_000,
};
