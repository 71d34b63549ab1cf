import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Files on the web, as a caller names them by their URL. */
export interface FileServer {
  readonly host: string;
  /** Where it lies from now on, and its digest. */
  put(name: string, bytes: Uint8Array): { readonly url: string; readonly sha256: string };
  close(): Promise<void>;
}

/** On a port of this machine. It says of no file what it is. */
export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, Uint8Array>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file ? 200 : 404, { 'content-type': 'application/octet-stream' }).end(file);
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
