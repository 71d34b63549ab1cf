import { afterAll, afterEach, expect, test } from '@jest/globals';
import type { Socket } from 'node:net';
import { serveHttp, type TestServer } from './testing/servers.js';
import { undiciOutbound } from './undici-outbound.js';

const outbound = undiciOutbound({ allowPrivateHosts: ['127.0.0.1'], userAgent: 'test' });
let server: TestServer;
afterAll(() => outbound.close());
afterEach(() => server.close());

/** Records the workspaces of each connection. */
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

test('two workspaces never share a connection to the same server, in any order of requests', async () => {
  const connections = await serve();
  for (let turn = 0; turn < 10; turn += 1) await Promise.all([ask('a', 'wsp_a'), ask('b', 'wsp_b')]);
  for (const visitors of connections()) expect(new Set(visitors).size).toBe(1);
  expect(connections().flat()).toHaveLength(20);
  // Each workspace still reuses its own connections.
  expect(connections().length).toBeLessThanOrEqual(4);
});

test('without a pool a connection serves one request', async () => {
  const connections = await serve();
  for (let turn = 0; turn < 5; turn += 1) await ask('workspace');
  expect(connections().map((visitors) => visitors.length)).toEqual([1, 1, 1, 1, 1]);
});

test('six hundred workspaces on one server only cost their connections, and all are served', async () => {
  const connections = await serve();
  const outcomes = await Promise.all(
    Array.from({ length: 600 }, (_, index) => ask(String(index), `wsp_many_${index}`)),
  );
  expect(outcomes.every(({ kind }) => kind === 'answered')).toBe(true);
  expect(connections()).toHaveLength(600);
});
