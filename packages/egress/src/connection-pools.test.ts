import { afterAll, afterEach, expect, test } from '@jest/globals';
import type { Socket } from 'node:net';
import { serveHttp, type TestServer } from './testing/servers.js';
import { undiciOutbound } from './undici-outbound.js';

const outbound = undiciOutbound({ allowPrivateHosts: ['127.0.0.1'], userAgent: 'test' });
let server: TestServer;
afterAll(() => outbound.close());
afterEach(() => server.close());

/** Who came on which connection. */
async function serve() {
  const sockets = new Map<Socket, string[]>();
  server = await serveHttp((request, response) => {
    const who = String(request.headers['x-workspace']);
    sockets.set(request.socket, [...(sockets.get(request.socket) ?? []), who]);
    response.end('{}');
  });
  return () => [...sockets.values()];
}
const ask = (who: string, pool?: string) =>
  outbound.request({ method: 'GET', url: server.url, headers: { 'x-workspace': who }, pool });

test('no connection to the same server is shared by two workspaces, however they take turns', async () => {
  const connections = await serve();
  for (let turn = 0; turn < 10; turn += 1) await Promise.all([ask('a', 'wsp_a'), ask('b', 'wsp_b')]);
  for (const visitors of connections()) expect(new Set(visitors).size).toBe(1);
  expect(connections().flat()).toHaveLength(20);
  // They are used again all the same, each by its own.
  expect(connections().length).toBeLessThanOrEqual(4);
});

test('without a pool a connection is for one request alone', async () => {
  const connections = await serve();
  for (let turn = 0; turn < 5; turn += 1) await ask('anybody');
  expect(connections().map((visitors) => visitors.length)).toEqual([1, 1, 1, 1, 1]);
});

test('six hundred workspaces on one server cost no more than their connections, and all are served', async () => {
  const connections = await serve();
  const outcomes = await Promise.all(
    Array.from({ length: 600 }, (_, index) => ask(String(index), `wsp_many_${index}`)),
  );
  expect(outcomes.every(({ kind }) => kind === 'answered')).toBe(true);
  expect(connections()).toHaveLength(600);
});
