import { createServer } from 'node:net';

const FROM = 20_000;
/** Outgoing connections of the machine take their ports from above here. */
const BELOW = 32_000;

/** A port of 127.0.0.1 that nothing listens on, beginning to look at a place that differs between processes. */
export async function freePort(nth = 0): Promise<number> {
  for (let port = FROM + ((process.pid * 7 + nth * 101) % (BELOW - FROM)); ; port++) {
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
