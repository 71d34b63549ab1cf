import base from './jest.config.mjs';

/** Journeys of the adapters in `examples`, which `pnpm test:external` builds from tarballs first. */
export default {
  ...base,
  displayName: 'external platforms',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/external/*.test.ts'],
  maxWorkers: 1,
};
