import base from './jest.config.mjs';

/** Each chaos run, so small that it takes seconds (`pnpm test:chaos short`). */
export default {
  ...base,
  displayName: 'chaos',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/chaos/*.test.ts'],
};
