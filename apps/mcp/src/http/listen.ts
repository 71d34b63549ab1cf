import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createDrain, KEEP_ALIVE_MS, type Config } from '@switchboard/bootstrap';
import type { Express } from 'express';

const GRACE_MS = 5000;

export interface HttpServer {
  readonly server: Server;
  /** When `left` resolves, stops accepting requests and lets running ones finish within a few seconds. */
  readonly drain: (left?: Promise<void>) => Promise<void>;
}

/** Listens on the configured address; rejects when it cannot. */
export function listen(
  app: Express,
  { tls, host, mcpPort }: Pick<Config, 'tls' | 'host' | 'mcpPort'>,
): Promise<HttpServer> {
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }, app)
    : createServer(app);
  const drain = createDrain(server);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(mcpPort, host, () => resolve({ server, drain: (left) => drain(GRACE_MS, left) }));
  });
}
