import { jestConfig } from '../../jest.base.mjs';

export default {
  ...jestConfig({ displayName: 'acceptance', database: true }),
  // Every file starts processes of its own. One of three mostly waits for a lease to end; more only wait for one another.
  maxWorkers: 3,
  testSequencer: './jest.sequence.mjs',
  // These have commands of their own: pnpm test:real, pnpm test:browser and pnpm test:conformance.
  testPathIgnorePatterns: ['/node_modules/', '/src/real/', '/src/browser/', '/src/conformance/'],
  testTimeout: 60_000,
};
