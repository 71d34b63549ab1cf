import { jestConfig } from '../../jest.base.mjs';

export default {
  ...jestConfig({ displayName: 'acceptance', database: true }),
  // Every file starts processes of its own; more of them at once only wait for one another.
  maxWorkers: 2,
  // These have commands of their own: pnpm test:real and pnpm test:browser.
  testPathIgnorePatterns: ['/node_modules/', '/src/real/', '/src/browser/'],
  testTimeout: 60_000,
};
