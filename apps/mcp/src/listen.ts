import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Config } from '@switchboard/bootstrap';
import type { Express } from 'express';

/** Listens where the configuration says; rejects when it cannot. */
export function listen(
  app: Express,
  { tls, host, mcpPort }: Pick<Config, 'tls' | 'host' | 'mcpPort'>,
): Promise<Server> {
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }, app)
    : createServer(app);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(mcpPort, host, () => resolve(server));
  });
}

const GRACE_MS = 5000;

/** Takes no more requests, lets those that run finish within a few seconds, then cuts what is left. */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
