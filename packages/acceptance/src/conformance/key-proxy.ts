import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { freePort } from '@switchboard/persistence/testing';

export interface KeyProxy {
  /** The URL for clients that cannot send a key. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Adds a key to each request, because the suite cannot send one. Headers and bytes are forwarded unchanged.
 */
export async function startKeyProxy(target: string, key: string): Promise<KeyProxy> {
  const { hostname, port: targetPort, pathname } = new URL(target);
  const server = createServer((incoming, answer) => {
    const outgoing = request({
      hostname,
      port: targetPort,
      method: incoming.method,
      path: incoming.url,
      headers: [...incoming.rawHeaders, 'Authorization', `Bearer ${key}`],
      setHost: false,
    });
    outgoing.once('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      void pipeline(response, answer).catch(() => outgoing.destroy());
    });
    outgoing.once('error', () => answer.destroy());
    answer.once('close', () => outgoing.destroy());
    void pipeline(incoming, outgoing).catch(() => undefined);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
