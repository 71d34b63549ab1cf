import { jestConfig } from '../../jest.base.mjs';

export default {
  ...jestConfig({ displayName: 'persistence', database: true }),
  // Most of the time passes in waits for PostgreSQL: leases, timeouts and lost connections.
  maxWorkers: 3,
};
