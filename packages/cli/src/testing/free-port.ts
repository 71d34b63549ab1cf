import { createServer } from 'node:net';

const FROM = 20_000;
/** The range of ephemeral ports of outgoing connections starts here. */
const BELOW = 32_000;

/** A free port of 127.0.0.1; the search starts at a position that differs between processes. */
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
