import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { KEEP_ALIVE_MS, type Config } from '@switchboard/bootstrap';
import type { Express } from 'express';

/** Listens on the configured address; rejects when it cannot. */
export function listen(
  app: Express,
  { tls, host, mcpPort }: Pick<Config, 'tls' | 'host' | 'mcpPort'>,
): Promise<Server> {
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }, app)
    : createServer(app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(mcpPort, host, () => resolve(server));
  });
}

const GRACE_MS = 5000;

/**
 * Stops accepting requests, lets running ones finish within a few seconds, then closes the remaining
 * connections.
 */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
