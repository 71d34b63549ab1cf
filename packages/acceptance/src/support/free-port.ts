import { createServer } from 'node:net';

const FROM = 20_000;
/** The operating system assigns ports from here upward to outgoing connections. */
const BELOW = 32_000;

const assignedPorts = new Set<number>();

/**
 * A port of 127.0.0.1 that nothing listens on and that the operating system assigns to no outgoing
 * connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * (BELOW - FROM));
    if (assignedPorts.has(port) || !(await isFree(port))) continue;
    assignedPorts.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
