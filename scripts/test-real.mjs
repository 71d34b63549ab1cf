// Tests with real servers: `pnpm test:real`, `pnpm test:real medusa`.
import { runSuite } from './acceptance-suite.mjs';

await runSuite('jest.real.config.mjs');
