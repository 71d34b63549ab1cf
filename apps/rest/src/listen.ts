import { ConfigurationError, type Service } from '@switchboard/bootstrap';
import type { RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { UPLOAD_MS } from './media/in-time.js';

export interface Listening {
  readonly url: string;
  /** Takes no new requests and waits for those that run; what is not done by then is cut off. */
  drain(withinMs: number): Promise<void>;
}

/** Answers a connection on which no request could be read. */
type Unreadable = (error: NodeJS.ErrnoException, socket: Duplex) => void;

/** Serves on the configured address, with TLS where a certificate is configured. */
export async function listen(
  app: RequestListener,
  { host, port, tls }: Pick<Service['config'], 'host' | 'port' | 'tls'>,
  unreadable?: Unreadable,
): Promise<Listening> {
  const server = tls
    ? createHttpsServer(
        {
          cert: await pem('SWITCHBOARD_TLS_CERT', tls.certFile),
          key: await pem('SWITCHBOARD_TLS_KEY', tls.keyFile),
        },
        app,
      )
    : createHttpServer(app);
  // What is no upload is held to less by the app itself.
  server.requestTimeout = UPLOAD_MS;
  if (unreadable) server.on('clientError', unreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(whyNot(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    drain: (withinMs) =>
      new Promise((resolve) => {
        const late = setTimeout(() => server.closeAllConnections(), withinMs);
        server.close(() => {
          clearTimeout(late);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

const pem = (name: string, file: string) =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(`${name} cannot be read: ${error.code ?? error.message} ${file}`);
  });

function whyNot(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigurationError(
        `PORT ${port} is taken: another program listens on ${host}:${port}. Stop it, or set PORT.`,
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
