import '@switchboard/bootstrap/quiet';
import { ConfigurationError, startService, welcome, type Service } from '@switchboard/bootstrap';
import { answerUnreadable } from './answer-unreadable.js';
import { listen } from './listen.js';
import { createServer } from './server.js';

const DRAIN_MS = 10_000;

let service: Service | undefined;
try {
  const running = (service = await startService({ app: 'rest', logTo: 'stdout' }));
  const serves = running.config.roles.includes('http');
  const server = serves
    ? await listen(createServer(running), running.config, answerUnreadable(running))
    : null;

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    running.drain();
    await server?.drain(DRAIN_MS);
    await running.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  void running.databaseStopped.then(stop);

  // Whoever reads that it is ready may end it at once: the signals are heard by now.
  const greeting = server
    ? `REST is ready at ${server.url}\n${(await welcome(running)) ?? ''}`
    : 'The worker is ready\n';
  process.stdout.write(greeting);
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  await service?.close();
  process.exit(1);
}
