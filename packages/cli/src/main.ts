import '@switchboard/bootstrap/disable-debug-output';
import { run } from './run.js';

process.exitCode = await run(process.argv);
