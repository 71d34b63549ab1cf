import '@switchboard/bootstrap/disable-debug-output';
import { ConfigurationError } from '@switchboard/bootstrap/startup-config';
import { readFlags } from './flags.js';
import { exitWithError } from './exit-with-error.js';
import { serveStdio } from './stdio/serve-stdio.js';
import { onShutdown } from './on-shutdown.js';

const flags = readFlags();
const server = serve();
/** The code compiled until then is cached for the next start (`scripts/one-file.mjs`). */
export const { introduced } = server;
const stop = onShutdown(server.databaseStopped, async () => {
  await server.close();
  process.exit(0);
});
server.opened.catch((error: unknown) => {
  if (!(error instanceof ConfigurationError)) throw error;
  exitWithError(error.message);
});
process.stdout.once('error', stop);
void server.disconnected.then(stop);

function serve() {
  try {
    return serveStdio({ flags, input: process.stdin, output: process.stdout, logTo: 'stderr' });
  } catch (error) {
    if (error instanceof ConfigurationError) exitWithError(error.message);
    throw error;
  }
}
