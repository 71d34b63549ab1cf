// Starts a WordPress of Debian on 127.0.0.1 with a database of its own, in a folder that is deleted at the end. Prints
// one line of JSON when it accepts requests: {url, editor: {id, name, password}, author}. Each line on stdin breaks the
// next request that matches: {"lose": "request" | "response", "path"}. Exits when stdin closes.
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const DEBIAN = '/usr/share/wordpress';
const LOOPBACK = '127.0.0.1';
const here = import.meta.dirname;
if (!existsSync(DEBIAN) || !existsSync('/usr/sbin/mariadbd'))
  throw new Error(
    'Install WordPress first: apt-get install wordpress mariadb-server php-cli php-mysql php-gd php-xml',
  );

const folder = mkdtempSync(path.join(os.tmpdir(), 'switchboard-wordpress-'));
const children = [];
process.on('exit', () => {
  // PHP's server has workers, which are processes of its group.
  for (const { pid } of children) process.kill(-pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));

// The operating system assigns ports above 32768 to outgoing connections.
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = net.createServer();
    const free = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

// MariaDB refuses to run as root.
const isRoot = process.getuid() === 0;
const [databaseFolder, site] = ['database', 'site'].map((name) => path.join(folder, name));
const socket = path.join(folder, 'database', 'socket');
mkdirSync(databaseFolder);
chmodSync(folder, 0o755);
const owner = isRoot ? ['--user=mysql'] : [];
if (isRoot) execFileSync('chown', ['mysql', databaseFolder]);
const initialize = [
  '--no-defaults',
  `--datadir=${databaseFolder}`,
  '--auth-root-authentication-method=normal',
];
execFileSync('mariadb-install-db', [...initialize, ...owner], { stdio: 'ignore' });
const settings = ['--no-defaults', `--datadir=${databaseFolder}`, `--socket=${socket}`, '--skip-networking'];
children.push(
  spawn('/usr/sbin/mariadbd', [...settings, ...owner], { stdio: ['ignore', 2, 2], detached: true }),
);
while (!existsSync(socket)) await delay(50);

// With its themes, which Debian links.
cpSync(DEBIAN, site, { recursive: true, dereference: true });
rmSync(path.join(site, 'wp-config.php'));
copyFileSync(path.join(here, 'wp-config.php'), path.join(site, 'wp-config.php'));

const [port, phpPort] = [await freePort(), await freePort()];
const url = `http://${LOOPBACK}:${port}`;
const env = {
  ...process.env,
  WORDPRESS_SOCKET: socket,
  WORDPRESS_FOLDER: site,
  WORDPRESS_URL: url,
  PHP_CLI_SERVER_WORKERS: '4',
};
const accounts = JSON.parse(execFileSync('php', [path.join(here, 'install.php')], { env, encoding: 'utf8' }));
const php = ['-S', `${LOOPBACK}:${phpPort}`, '-t', site, path.join(here, 'router.php')];
children.push(spawn('php', php, { env, stdio: ['ignore', 2, 2], detached: true }));

/** In front of PHP, as a web server is: it can lose a request, or the response to one that took effect. */
let fault;
const proxy = http.createServer((request, response) => {
  const breaks = fault && request.method === 'POST' && request.url.startsWith(fault.path) ? fault.lose : null;
  if (breaks) fault = undefined;
  if (breaks === 'request') return request.socket.destroy();
  const { method, url: target, headers } = request;
  const forwarded = http.request(
    { host: LOOPBACK, port: phpPort, method, path: target, headers },
    (answer) => {
      if (breaks === 'response') return answer.on('end', () => request.socket.destroy()).resume();
      response.writeHead(answer.statusCode, answer.headers);
      return answer.pipe(response);
    },
  );
  forwarded.on('error', () => request.socket.destroy());
  return request.pipe(forwarded);
});
await new Promise((resolve) => proxy.listen(port, LOOPBACK, resolve));
while (
  !(await fetch(`${url}/wp-json/`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await delay(50);

console.log(JSON.stringify({ url, ...accounts }));
for await (const line of createInterface({ input: process.stdin })) {
  fault = JSON.parse(line);
  console.log('{}');
}
process.exit(0);
