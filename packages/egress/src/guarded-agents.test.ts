import http from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { guardedAgents, type GuardedAgents } from './guarded-agents.js';
import { serveHttp } from './testing/servers.js';

let agents: GuardedAgents;
afterEach(() => agents.close());

const statusOf = (url: string): Promise<number | string> =>
  new Promise((resolve) => {
    http
      .get(url, { agent: agents.http, timeout: 2_000 }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on('error', (error) => resolve(error.message));
  });

test('reaches an allowed host, by name and by address', async () => {
  const server = await serveHttp((_request, response) => response.end());
  agents = guardedAgents({
    allowPrivateHosts: [`shop.test:${server.port}`, '127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
  });
  expect(await statusOf(`http://shop.test:${server.port}/`)).toBe(200);
  expect(await statusOf(`${server.url}/`)).toBe(200);
  expect(await statusOf(`http://other.test:${server.port}/`)).toBe('the address is not allowed');
  await server.close();
});

test('a host allowed on one port is refused on the others', async () => {
  const server = await serveHttp((_request, response) => response.end());
  agents = guardedAgents({ allowPrivateHosts: [`127.0.0.1:${server.port + 1}`] });
  expect(await statusOf(server.url)).toBe('the address is not allowed');
  expect(server.connections()).toBe(0);
  await server.close();
});
