import base from './jest.config.mjs';

/** The hosted pages in a real browser (`pnpm test:browser`): it needs a Chromium. */
export default {
  ...base,
  displayName: 'browser',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/browser/*.test.ts'],
  maxWorkers: 1,
};
