import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP load balancer. It understands nothing of what it forwards. */
export interface TcpSwitch {
  readonly port: number;
  /** New connections are distributed over these ports. */
  route(ports: readonly number[]): void;
  /** Closes the connections to servers that are no longer routed to, as a switch does for servers that are down. */
  closeOthers(): void;
  close(): Promise<void>;
}

export async function startTcpSwitch(): Promise<TcpSwitch> {
  const open = new Map<Socket, number>();
  let targets: readonly number[] = [];
  let next = 0;
  /** Tries the next server when one refuses: nothing has been sent yet. */
  const dial = (incoming: Socket, left: number): void => {
    const port = targets[next++ % targets.length];
    if (port === undefined || left === 0) return void incoming.destroy();
    const outgoing = connect(port, '127.0.0.1');
    const retry = () => dial(incoming, left - 1);
    outgoing.once('error', retry);
    outgoing.once('connect', () => {
      outgoing.off('error', retry);
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        open.set(one, port);
        one.on('error', () => other.destroy());
        one.once('close', () => {
          open.delete(one);
          if (!one.readableEnded) other.destroy();
        });
        one.pipe(other);
      }
    });
  };
  const server = createServer({ pauseOnConnect: true }, (incoming) => {
    incoming.on('error', () => undefined);
    dial(incoming, targets.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    route: (ports) => void (targets = ports),
    closeOthers() {
      for (const [socket, port] of open) if (!targets.includes(port)) socket.destroy();
    },
    async close() {
      for (const socket of open.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Routes to the servers whose `/readyz` returns 200; returns a function that ends it. */
export function checkHealth(balancer: Pick<TcpSwitch, 'route'>, ports: readonly number[], everyMs: number) {
  const healthy = new Set<number>();
  const check = async (port: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(5000),
    }).catch(() => null);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.status === 200) healthy.add(port);
    else healthy.delete(port);
    balancer.route([...healthy]);
  };
  const timer = setInterval(() => void Promise.all(ports.map(check)), everyMs);
  return () => clearInterval(timer);
}
