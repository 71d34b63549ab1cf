import base from './jest.config.mjs';

/** Runs the hosted pages in a real browser (`pnpm test:browser`). Requires Chromium. */
export default {
  ...base,
  displayName: 'browser',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/browser/*.test.ts'],
  maxWorkers: 1,
};
