// Builds the dependencies, then sends generated requests to a separate installation: `pnpm test:fuzz`, `pnpm
// test:fuzz --seed 7 --requests 2000`.
import { runProgram } from './acceptance-suite.mjs';

await runProgram('fuzz');
