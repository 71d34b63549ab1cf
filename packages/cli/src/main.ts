import '@switchboard/bootstrap/quiet';
import { run } from './run.js';

process.exitCode = await run(process.argv);
