import '@switchboard/bootstrap/disable-debug-output';
import { ConfigurationError, startService, buildWelcomeText, type Service } from '@switchboard/bootstrap';
import { serveRest } from './serve-rest.js';

/** Ends when ready: the code compiled until then is cached for the next start (`scripts/one-file.mjs`). */
export const introduced = serve();

async function serve(): Promise<void> {
  let service: Service | undefined;
  try {
    const running = (service = await startService({ app: 'rest', logTo: 'stdout' }));
    const server = await serveRest(running);

    let isStopping = false;
    const stop = async () => {
      if (isStopping) return;
      isStopping = true;
      await server.stop();
      process.exit(0);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
    void running.databaseStopped.then(stop);

    if (server.url !== null) await running.announce('rest');
    // Signal handlers are installed before readiness is announced.
    const startupMessage =
      server.url === null
        ? 'The worker is ready\n'
        : `REST is ready at ${server.url}\n${(await buildWelcomeText(running)) ?? ''}`;
    process.stdout.write(startupMessage);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    await service?.close();
    process.exit(1);
  }
}
