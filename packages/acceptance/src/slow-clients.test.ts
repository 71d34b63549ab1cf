import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { startSwitchboard } from './support/start-switchboard.js';

let switchboard: Switchboard;
let client: RestClient;
let open: Socket[] = [];
beforeAll(async () => {
  switchboard = await startSwitchboard({ name: 'slow_clients', mcp: true });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  open = [];
});
afterAll(() => switchboard?.stop());

/** A connection that sends this text and then the rest one byte at a time. */
function openSlowConnection(url: string, first: string, drip: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(first);
      resolve();
    });
    open.push(socket);
    // Reads whatever the server sends, so that its end is noticed.
    socket.resume().once('error', reject);
    if (drip === '') return;
    let at = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || at === drip.length) return clearInterval(timer);
      socket.write(drip.charAt(at++));
    }, 200);
  });
}

const openSlowConnections = (count: number, url: string, first: string, drip = '') =>
  Promise.all(Array.from({ length: count }, () => openSlowConnection(url, first, drip)));

const head = (path: string) =>
  [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${switchboard.keys.full}`].join('\r\n');

test.each([
  ['a thousand idle connections', 1000, () => '', ''],
  ['headers sent one byte at a time', 200, (path: string) => `${head(path)}\r\nX-Slow: `, 'a'.repeat(200)],
  [
    'bodies sent one byte at a time',
    200,
    (path: string) => `${head(path)}\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{`,
    '"'.padEnd(200, 'a'),
  ],
  [
    'the same without a key',
    200,
    (path: string) => `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2000\r\n\r\n`,
    'a'.repeat(200),
  ],
])('no other caller waits for %s (N14)', async (_what, count, first, drip) => {
  const isEnded = (socket: Socket) => socket.destroyed || socket.readableEnded;
  // A request that is refused keeps its connection for two seconds, and a busy machine can need longer than that.
  for (let attempt = 1; attempt === 1 || (attempt <= 5 && open.some(isEnded)); attempt += 1) {
    for (const socket of open.splice(0)) socket.destroy();
    await openSlowConnections(count, switchboard.url, first('/v1/profiles'), drip);
    await openSlowConnections(count / 4, switchboard.mcpUrl, first('/mcp'), drip);
    for (let nth = 0; nth < 5; nth += 1) expect((await client.get('/me')).status).toBe(200);
    expect((await fetch(new URL('/healthz', switchboard.mcpUrl))).status).toBe(200);
  }
  // All slow requests are still open when these are answered: none of these waits for one of those.
  expect(open.filter(isEnded)).toEqual([]);
  const { json } = await client.get('/profiles');
  expect(JSON.stringify(json)).not.toContain('aaaa');
});
