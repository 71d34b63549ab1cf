import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Files on the web, as a caller names them by their URL. */
export interface FileServer {
  readonly host: string;
  /** Where it lies from now on, and its digest. Only a page says what it is. */
  put(name: string, bytes: Uint8Array | string): { readonly url: string; readonly sha256: string };
  close(): Promise<void>;
}

/** On a port of this machine. It says of a text that it is a page, and of no other file what it is. */
export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, Uint8Array | string>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    const type = typeof file === 'string' ? 'text/html; charset=utf-8' : 'application/octet-stream';
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type }).end(file);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    put(name, bytes) {
      files.set(`/${name}`, bytes);
      return {
        url: `http://${host}/${name}`,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      };
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
