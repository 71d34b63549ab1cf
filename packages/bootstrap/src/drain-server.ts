import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';

/** For a request on an open connection that has arrived and was not read yet. */
const ARRIVING_MS = 10;

/** For the first request of a new connection, which is on its way when the port is closed. */
const FIRST_REQUEST_MS = 250;

/**
 * From now on every response has `Connection: close`, so that no client reuses its connection. When `left` resolves, no
 * connection is accepted any more, idle ones are closed, and running requests may last for `withinMs`. Resolves when every
 * connection is closed.
 */
export type Drain = (withinMs: number, left?: Promise<void>) => Promise<void>;

export function createDrain(server: Server): Drain {
  const sockets = new Set<Socket>();
  /** Those without a request, and since when. They are not idle to Node.js. */
  const unused = new Map<Socket, number>();
  const running = new Set<ServerResponse>();
  let isDraining = false;
  const closeAfter = (response: ServerResponse) => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.set(socket, performance.now());
    socket.once('close', () => unused.delete(socket));
  });
  server.prependListener('request', (request, response) => {
    unused.delete(request.socket);
    running.add(response);
    response.once('close', () => running.delete(response));
    if (isDraining) closeAfter(response);
  });
  return async (withinMs, left) => {
    isDraining = true;
    running.forEach(closeAfter);
    if (left) await left;
    // Not that of HTTP, which closes idle connections without reading what has arrived.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    await sleep(ARRIVING_MS);
    server.close();
    const cut = setTimeout(() => sockets.forEach((socket) => socket.destroy()), withinMs);
    // A response that had begun did not announce that its connection ends.
    for (const response of running) response.once('close', () => server.closeIdleConnections());
    for (const [socket, openedMs] of unused)
      setTimeout(
        () => unused.has(socket) && socket.destroy(),
        Math.max(0, Math.min(withinMs, openedMs + FIRST_REQUEST_MS - performance.now())),
      );
    await closed;
    clearTimeout(cut);
  };
}
