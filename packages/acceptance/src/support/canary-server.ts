import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { freePort } from './free-port.js';

/** Servers of this machine that nobody may be led to: on loopback in both families and on the addresses of its network, at one port. */
export interface CanaryServer {
  readonly port: number;
  readonly addresses: readonly string[];
  /** How many connections ever came to any of them. */
  connections(): number;
  close(): Promise<void>;
}

export async function startCanaryServer(): Promise<CanaryServer> {
  // Link-local addresses are left out: they are nothing without a zone.
  const networkAddresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address));
  const candidateAddresses = ['127.0.0.1', '::1', ...networkAddresses.map(({ address }) => address)];
  const port = await freePort();
  const servers: Server[] = [];
  const addresses: string[] = [];
  let connections = 0;
  for (const address of candidateAddresses) {
    const server = createServer((_request, response) => response.end('canary'));
    server.on('connection', () => (connections += 1));
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, address, () => resolve(true));
    });
    // A machine without IPv6 has no loopback of it that could be reached.
    if (!isListening) continue;
    servers.push(server);
    addresses.push(address);
  }
  return {
    port,
    addresses,
    connections: () => connections,
    async close() {
      await Promise.all(
        servers.map((server) => {
          const closed = new Promise((done) => server.close(done));
          server.closeAllConnections();
          return closed;
        }),
      );
    },
  };
}
