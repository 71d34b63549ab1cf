// The official conformance suite of MCP and its Inspector: `pnpm test:conformance`, `pnpm test:conformance
// inspector`.
import { runSuite } from './acceptance-suite.mjs';

await runSuite('jest.conformance.config.mjs');
