import { jestConfig } from '../../jest.base.mjs';

export default {
  ...jestConfig({ displayName: 'acceptance', database: 'with-queue' }),
  // Many tests wait for processes and leases. On two cores it takes 449 s with four workers, and the other suites
  // 407 s; with five it takes 421 s, and they take 449 s.
  maxWorkers: 4,
  testSequencer: './jest.sequence.mjs',
  // These suites have their own commands: pnpm test:real, test:browser, test:conformance, test:ha, test:backup, test:external and
  // test:chaos short.
  testPathIgnorePatterns: [
    '/node_modules/',
    '/src/(real|browser|conformance|ha|backup|external)/',
    '/src/chaos/(run-\\w+-)?chaos\\.test\\.ts$',
  ],
  // Only a fault takes this long: the suites of several checkouts can share a machine.
  testTimeout: 240_000,
};
