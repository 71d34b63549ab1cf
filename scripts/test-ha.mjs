// Failover, a rolling restart, and the journeys behind PgBouncer, with Debian's PostgreSQL and PgBouncer: `pnpm test:ha`,
// `pnpm test:ha failover`, `pnpm test:ha pooled`.
import { runSuite } from './acceptance-suite.mjs';

const wantsPooled = process.argv[2] === 'pooled';
if (wantsPooled) process.argv.splice(2, 1);
if (wantsPooled || process.argv.length > 2) {
  await runSuite(wantsPooled ? 'jest.pooled.config.mjs' : 'jest.ha.config.mjs');
} else {
  await runSuite('jest.ha.config.mjs', 'jest.pooled.config.mjs');
}
