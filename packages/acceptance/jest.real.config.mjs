import base from './jest.config.mjs';

/**
 * Runs the journeys against real store servers (`pnpm test:real`). Installing, migrating and seeding takes
 * minutes.
 */
export default {
  ...base,
  displayName: 'real servers',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/real/*.test.ts'],
  maxWorkers: 1,
};
