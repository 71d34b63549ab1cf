import { jestConfig } from '../../jest.base.mjs';

export default {
  ...jestConfig({ displayName: 'persistence', database: 'migrated' }),
  // Most of the time passes in waits for PostgreSQL: leases, timeouts and lost connections.
  maxWorkers: 3,
};
