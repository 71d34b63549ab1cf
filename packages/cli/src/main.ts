import '@switchboard/bootstrap/disable-debug-output';
import { run } from './run.js';
import { wasServiceOpened } from './with-service.js';

/**
 * Ends with the command. The code compiled until then is cached for the next start (`scripts/one-file.mjs`), but
 * only that of a command that opened the service: others run little of the code.
 */
export const introduced = run(process.argv).then((code) => {
  process.exitCode = code;
  return wasServiceOpened();
});
