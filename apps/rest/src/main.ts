import '@switchboard/bootstrap/disable-debug-output';
import { ConfigurationError, startService, buildWelcomeText, type Service } from '@switchboard/bootstrap';
import { rejectUnreadableRequest } from './reject-unreadable-request.js';
import { listen } from './listen.js';
import { createServer } from './server.js';

const DRAIN_MS = 10_000;

/** Ends when ready: the code compiled until then is cached for the next start (`scripts/one-file.mjs`). */
export const introduced = serve();

async function serve(): Promise<void> {
  let service: Service | undefined;
  try {
    const running = (service = await startService({ app: 'rest', logTo: 'stdout' }));
    const servesHttp = running.config.roles.includes('http');
    const server = servesHttp
      ? await listen(createServer(running), running.config, rejectUnreadableRequest(running))
      : null;

    let isStopping = false;
    const stop = async () => {
      if (isStopping) return;
      isStopping = true;
      running.drain();
      await server?.drain(DRAIN_MS);
      await running.close();
      process.exit(0);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
    void running.databaseStopped.then(stop);

    if (server) await running.announce('rest');
    // Signal handlers are installed before readiness is announced.
    const startupMessage = server
      ? `REST is ready at ${server.url}\n${(await buildWelcomeText(running)) ?? ''}`
      : 'The worker is ready\n';
    process.stdout.write(startupMessage);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    await service?.close();
    process.exit(1);
  }
}
