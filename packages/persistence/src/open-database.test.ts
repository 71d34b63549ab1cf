import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { testDatabase } from './testing.js';

/**
 * A process behind a server whose final message arrives in one packet with a response, at the moment when the
 * pool passes the connection to its next user.
 */
const PROCESS = `
  import net from 'node:net';
  import { openDatabase } from '@switchboard/persistence';
  const url = new URL(process.argv[1]);
  const { hostname, port } = url;
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to unexpected postmaster exit', ''];
  const said = Buffer.from(fields.join('\\0') + '\\0');
  const fatal = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), said]);
  fatal.writeInt32BE(said.length + 4, 1);
  const isReady = (bytes) => bytes.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]));
  let armed = false;
  const proxy = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy()).on('error', () => {});
    far.on('close', () => near.destroy()).on('error', () => {});
    far.on('data', (bytes) => {
      if (!armed || !isReady(bytes)) return near.write(bytes);
      armed = false;
      near.end(Buffer.concat([bytes, fatal]));
    });
  }).listen(0, '127.0.0.1', async () => {
    url.port = String(proxy.address().port);
    const database = openDatabase(url.href, { max: 1 });
    await database.query('SELECT 1', []);
    const first = database.query('SELECT pg_sleep(0.2)::text', []);
    const next = database.prisma.$transaction((tx) => tx.$queryRaw\`SELECT 1\`);
    armed = true;
    const ended = await Promise.allSettled([first, next]);
    const after = await database.query('SELECT 2 AS two', []);
    console.log(JSON.stringify([...ended.map(({ status }) => status), after[0].two]));
    process.exit(0);
  });
`;

test('a connection that is lost between two users does not end the process (finding 13)', async () => {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', PROCESS, await testDatabase('open_database')],
    { cwd: path.resolve(import.meta.dirname, '..'), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [stdout, stderr] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    child.exitCode ?? once(child, 'close'),
  ]);
  expect([stderr, stdout.trim()]).toEqual(['', JSON.stringify(['fulfilled', 'rejected', 2])]);
});
