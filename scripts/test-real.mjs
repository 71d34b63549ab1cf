// Tests with real servers: `pnpm test:real`, `pnpm test:real medusa`. That of WordPress needs Debian's packages.
import { runSuite } from './acceptance-suite.mjs';

await runSuite('jest.real.config.mjs');
