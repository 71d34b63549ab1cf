import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isFree, PORTS } from './embedded/cluster.js';

/**
 * A port of 127.0.0.1 that nothing listens on, that the operating system assigns to no outgoing connection, and that
 * no other call of this function returns, in any process, as long as this process runs.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.below);
    if ((await reservePort(port)) && (await isFree(port))) return port;
  }
}

/** Binds the UDP port of the same number, which the server on the TCP port does not use; false if that is taken. */
export function reservePort(port: number): Promise<boolean> {
  const reservation = createSocket('udp4').unref();
  return new Promise((resolve) => {
    reservation.once('error', () => reservation.close(() => resolve(false)));
    reservation.bind({ port, address: '127.0.0.1' }, () => resolve(true));
  });
}
