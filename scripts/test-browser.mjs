// Tests the hosted pages in a real browser: `pnpm test:browser`, `pnpm test:browser -t denying`.
import { runSuite } from './acceptance-suite.mjs';

await runSuite('jest.browser.config.mjs');
