import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Public files that a caller references by URL. */
export interface FileServer {
  readonly host: string;
  /** Publishes a file and returns its URL and digest. Only pages get a content type. */
  put(name: string, bytes: Uint8Array | string): { readonly url: string; readonly sha256: string };
  close(): Promise<void>;
}

/**
 * Listens on a port of this machine. It serves text as a page, and every other file without a content type.
 */
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
