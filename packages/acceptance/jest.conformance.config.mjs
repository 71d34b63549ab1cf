import base from './jest.config.mjs';

/** Runs the official MCP conformance suite and the MCP Inspector (`pnpm test:conformance`). */
export default {
  ...base,
  displayName: 'conformance',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: ['<rootDir>/src/conformance/*.test.ts'],
  maxWorkers: 1,
};
