import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { freePort } from '@switchboard/persistence/testing';

/**
 * Servers on forbidden addresses of this machine: loopback in both families and the addresses of its network,
 * on one port.
 */
export interface CanaryServer {
  readonly port: number;
  readonly addresses: readonly string[];
  /** The number of connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startCanaryServer(): Promise<CanaryServer> {
  // Link-local addresses are omitted because they require a zone.
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
    // A machine without IPv6 has no IPv6 loopback to test.
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
