import { ConfigurationError, createDrain, KEEP_ALIVE_MS, type Service } from '@switchboard/bootstrap';
import type { RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { UPLOAD_TIMEOUT_MS } from './media/enforce-body-timeout.js';

/** Responds on a connection on which no request could be read. */
type ClientErrorHandler = (error: NodeJS.ErrnoException, socket: Duplex) => void;

/** Serves on the configured address, with TLS where a certificate is configured. */
export async function listen(
  app: RequestListener,
  { host, port, tls }: Pick<Service['config'], 'host' | 'port' | 'tls'>,
  onClientError?: ClientErrorHandler,
) {
  const server = tls
    ? createHttpsServer(
        {
          cert: await readPem('SWITCHBOARD_TLS_CERT', tls.certFile),
          key: await readPem('SWITCHBOARD_TLS_KEY', tls.keyFile),
        },
        app,
      )
    : createHttpServer(app);
  const drain = createDrain(server);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // The app itself sets a shorter timeout for requests that are not uploads.
  server.requestTimeout = UPLOAD_TIMEOUT_MS;
  if (onClientError) server.on('clientError', onClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    /** Stops accepting requests and waits for running ones; closes those that exceed the timeout. */
    drain,
  };
}

const readPem = (name: string, file: string) =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(`${name} cannot be read: ${error.code ?? error.message} ${file}`);
  });

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigurationError(
        `PORT ${port} is in use: another program listens on ${host}:${port}. Stop it, or set PORT.`,
      );
    case 'EACCES':
      return new ConfigurationError(`PORT ${port} is not allowed: choose one above 1023, or set PORT.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigurationError(`HOST ${host} is not an address of this machine.`);
    default:
      return error;
  }
}
