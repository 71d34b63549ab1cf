/**
 * Accepts client leases: one open TCP connection each. The kernel closes the connection of a killed client,
 * which releases its lease.
 *
 * A client sends one line, `<token> <request>`. Requests: the response to `lease` is `granted`, and the lease
 * lasts as long as the connection; the response to `status` is JSON; `stop` stops the server, and the
 * response is the end of the connection. A lease that ends because of a stop request receives the line
 * `stopped` first.
 */
import { timingSafeEqual } from 'node:crypto';
import net from 'node:net';

interface LeaseServerEvents {
  /** Called when the first lease starts and when the last one ends. */
  onOccupancyChange(occupied: boolean): void;
  onStopRequest(): void;
}

const REQUEST_LENGTH_MAX = 200;

export async function openLeaseServer(token: string, events: LeaseServerEvents) {
  const leases = new Set<net.Socket>();
  let closed = false;

  const handleRequest = (socket: net.Socket, line: string) => {
    const [providedToken = '', request] = line.split(' ');
    if (closed || !isEqualConstantTime(providedToken, token)) return socket.destroy();
    if (request === 'status') return socket.end(`${JSON.stringify({ leases: leases.size })}\n`);
    if (request === 'stop') return events.onStopRequest();
    if (request !== 'lease') return socket.destroy();
    leases.add(socket);
    if (leases.size === 1) events.onOccupancyChange(true);
    socket.write('granted\n');
    socket.on('close', () => {
      leases.delete(socket);
      if (leases.size === 0 && !closed) events.onOccupancyChange(false);
    });
  };

  const server = net.createServer((socket) => {
    let received = '';
    socket.setEncoding('utf8').on('error', () => undefined);
    const read = (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end >= 0) {
        socket.off('data', read).resume();
        handleRequest(socket, received.slice(0, end));
      } else if (received.length > REQUEST_LENGTH_MAX) socket.destroy();
    };
    socket.on('data', read);
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    /** Ends all leases. If deliberate, tells the holders not to restart the server. */
    close(deliberately: boolean) {
      closed = true;
      server.close();
      for (const lease of leases) {
        if (deliberately) lease.end('stopped\n');
        else lease.destroy();
      }
    },
  };
}

export type LeaseServer = Awaited<ReturnType<typeof openLeaseServer>>;

function isEqualConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
