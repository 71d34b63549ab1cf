import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** The workers of all packages load many of the same modules: one stores what V8 has compiled for the others. */
process.env.NODE_COMPILE_CACHE ??= here('node_modules/.cache/tests');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/**
 * The configuration every package shares. Tests lie beside the code they are about.
 * `database` leases the embedded PostgreSQL for the run and makes `testDatabase()` work: `migrated` with the tables of
 * the migrations, `with-queue` also with those of pg-boss.
 *
 * @param {{ displayName: string, database?: 'migrated' | 'with-queue' }} options
 * @returns {import('jest').Config}
 */
export const jestConfig = ({ displayName, database }) => ({
  displayName,
  testMatch: ['<rootDir>/{src,testing}/**/*.test.ts'],
  passWithNoTests: true,
  // Generous: what is slow because the machine is busy has not failed.
  testTimeout: 120_000,
  // Node.js itself loads the tests and strips their types (docs/decisions/049-native-modules-in-tests.md).
  testEnvironment: here('scripts/jest/native-environment.mjs'),
  runtime: here('scripts/jest/native-runtime.mjs'),
  transform: {},
  reporters: ['default', here('scripts/jest/counts.mjs')],
  ...(database && {
    globalSetup: here(`packages/${database === 'with-queue' ? 'jobs' : 'persistence'}/jest/global-setup.mjs`),
    globalTeardown: here('packages/persistence/jest/global-teardown.mjs'),
  }),
});
