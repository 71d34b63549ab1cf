import base from './jest.config.mjs';

/** The official conformance suite of MCP and its Inspector (`pnpm test:conformance`). */
export default {
  ...base,
  displayName: 'conformance',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/conformance/*.test.ts'],
  maxWorkers: 1,
};
