import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Debian's PgBouncer in transaction mode in front of every database of a server. Consecutive transactions of a connection
 * rarely meet the same session: that finds what depends on one.
 *
 * @param {string} databaseUrl
 */
export async function startPooler(databaseUrl) {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-pooler-'));
  const poolerPort = await freePort();
  const users = path.join(folder, 'users');
  const settings = path.join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${poolerPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
server_round_robin = 1
default_pool_size = 8
max_client_conn = 1000
`,
  );
  const owner = unprivilegedUser();
  for (const each of [folder, users, settings])
    if (owner.uid !== undefined) chownSync(each, owner.uid, owner.gid);
  const child = spawn('/usr/sbin/pgbouncer', ['-q', settings], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const failed = once(child, 'error').then(([error]) => {
    throw new Error('Install PgBouncer first: apt-get install pgbouncer', { cause: error });
  });
  await Promise.race([untilListening(poolerPort), failed]);
  failed.catch(() => undefined);
  return {
    host: `127.0.0.1:${poolerPort}`,
    async stop() {
      child.kill('SIGQUIT');
      const [code] = await exited;
      rmSync(folder, { recursive: true, force: true });
      if (code) throw new Error(`PgBouncer had ended before, with ${code}.`);
    },
  };
}

/** PgBouncer refuses to run as root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function untilListening(port) {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
