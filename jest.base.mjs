import { fileURLToPath } from 'node:url';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * The configuration every package shares. Tests lie beside the code they are about.
 * `database: true` leases the embedded PostgreSQL for the run and makes `testDatabase()` work.
 *
 * @param {{ displayName: string, database?: boolean }} options
 * @returns {import('jest').Config}
 */
export const jestConfig = ({ displayName, database = false }) => ({
  displayName,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{src,testing}/**/*.test.ts'],
  passWithNoTests: true,
  // Generous: what is slow because the machine is busy has not failed.
  testTimeout: 30_000,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2024',
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  reporters: ['default', here('scripts/jest-counts.mjs')],
  ...(database && {
    globalSetup: here('packages/persistence/jest/global-setup.mjs'),
    globalTeardown: here('packages/persistence/jest/global-teardown.mjs'),
  }),
});
