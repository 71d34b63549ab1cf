// For servers that have no setting for the listen address: without this import, they listen on every interface.
import { randomInt } from 'node:crypto';
import net from 'node:net';

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  if (typeof first !== 'number') return listen.call(this, first, ...rest);
  const done = rest.filter((value) => typeof value === 'function');
  return listen.call(this, { port: first, host: '127.0.0.1' }, ...done);
};

// The operating system assigns ports above 32768 to outgoing connections, so a lower port stays free between
// the probe and the use.
export async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = net.createServer();
    const free = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
