import base from './jest.config.mjs';

/** The journeys with real stores (`pnpm test:real`): they install, migrate and seed for minutes. */
export default {
  ...base,
  displayName: 'real servers',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/real/*.test.ts'],
  maxWorkers: 1,
};
