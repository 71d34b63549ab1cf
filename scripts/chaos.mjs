// Builds the dependencies, then runs the chaos tests: `pnpm test:chaos posts --seed 7`, `pnpm test:chaos
// tokens`.
import { runProgram } from './acceptance-suite.mjs';

await runProgram('chaos');
