import { once } from 'node:events';
import { freePort } from '@switchboard/persistence/testing';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection, and refuses new ones until `mend`. */
  cut(): void;
  /** Discards all data from now on without closing connections, until `mend`. */
  dropTraffic(): void;
  repair(): void;
  close(): Promise<void>;
}

/** A proxy between a process and a server that can be cut like a cable. */
export async function startTcpProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let isCut = false;
  let isDropping = false;
  const server = createServer((clientSocket) => {
    if (isCut) return void clientSocket.destroy();
    const serverSocket = connect(target.port, target.host);
    for (const [one, other] of [
      [clientSocket, serverSocket],
      [serverSocket, clientSocket],
    ] as const) {
      open.add(one);
      one.on('data', (bytes) => {
        if (isDropping) return;
        if (other.write(bytes)) return;
        one.pause();
        other.once('drain', () => one.resume());
      });
      one.on('end', () => other.end());
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    dropTraffic: () => void (isDropping = true),
    repair: () => void (isCut = isDropping = false),
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
