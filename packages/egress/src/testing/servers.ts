import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** The number of connections that were opened to the server. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export type RequestHandler = (request: http.IncomingMessage, response: http.ServerResponse) => unknown;

async function listen(server: net.Server): Promise<TestServer> {
  let connections = 0;
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export const serveHttp = (answer: RequestHandler): Promise<TestServer> =>
  listen(http.createServer((request, response) => void answer(request, response)));

/** A raw socket server: calls `answer` after each complete request head. */
export const serveRaw = (answer: (socket: net.Socket) => void): Promise<TestServer> =>
  listen(
    net.createServer((socket) => {
      let head = '';
      socket.on('data', (bytes) => {
        const before = head.includes('\r\n\r\n');
        head += bytes.toString('latin1');
        if (!before && head.includes('\r\n\r\n')) answer(socket);
      });
    }),
  );
