import http from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { guardedAgents } from './guarded-agents.js';
import { serveHttp, type TestServer } from './testing/servers.js';
import { hostileResolver as resolve, privateUrls } from './testing.js';
import { undiciDownloads } from './undici-downloads.js';
import { undiciOutbound } from './undici-outbound.js';

let canary: TestServer;
beforeAll(async () => {
  canary = await serveHttp((_request, response) => response.end('canary'));
});
afterAll(() => canary.close());

const urls = () => privateUrls(canary.port);

test('no notation of a loopback address reaches a local listener through the client', async () => {
  const outbound = undiciOutbound({ allowPrivateHosts: [], userAgent: 'test', resolve });
  expect(urls().length).toBeGreaterThan(300);
  for (const url of urls()) {
    const outcome = await outbound.request({ method: 'GET', url, deadlineSeconds: 2 });
    expect([url, outcome.kind]).toEqual([url, 'not_sent']);
    if (outcome.kind === 'not_sent') {
      expect(['address_refused', 'invalid_url', 'dns']).toContain(outcome.reason);
    }
  }
  expect(canary.connections()).toBe(0);
  await outbound.close();
});

test('no notation of a loopback address reaches a local listener as a download', async () => {
  const downloads = undiciDownloads({ allowPrivateHosts: [], userAgent: 'test', resolve });
  for (const url of urls()) {
    const { signal } = new AbortController();
    const outcome = await downloads.open({ url, deadlineSeconds: 2, signal });
    expect([url, outcome.kind]).toEqual([url, 'failed']);
    if (outcome.kind === 'failed') {
      expect(['address_refused', 'invalid_url', 'unreachable']).toContain(outcome.reason);
    }
  }
  expect(canary.connections()).toBe(0);
  await downloads.close();
});

test('no redirect reaches a loopback address in any notation', async () => {
  let location = '';
  const server = await serveHttp((_request, response) =>
    response.writeHead(302, { location: encodeURI(location) }).end(),
  );
  const downloads = undiciDownloads({
    allowPrivateHosts: [`127.0.0.1:${server.port}`],
    userAgent: 'test',
    resolve,
  });
  for (const url of urls()) {
    location = url;
    const { signal } = new AbortController();
    const outcome = await downloads.open({ url: server.url, deadlineSeconds: 2, signal });
    expect([url, outcome.kind]).toEqual([url, 'failed']);
  }
  expect(canary.connections()).toBe(0);
  await downloads.close();
  await server.close();
});

test('no notation of a loopback address reaches a local listener through the agents', async () => {
  const agents = guardedAgents({ allowPrivateHosts: [], resolve });
  for (const url of urls().filter((each) =>
    /^https?:$/.test(URL.canParse(each) ? new URL(each).protocol : ''),
  )) {
    const answered = await new Promise((done) => {
      const agent = url.trimStart().toLowerCase().startsWith('https') ? agents.https : agents.http;
      http
        .get(new URL(url), {
          agent,
          protocol: agent === agents.https ? 'https:' : 'http:',
          timeout: 2_000,
        } as http.RequestOptions)
        .on('response', () => done(true))
        .on('error', () => done(false));
    });
    expect([url, answered]).toEqual([url, false]);
  }
  expect(canary.connections()).toBe(0);
  agents.close();
});

test('an allowed host is reachable, and the same host on another port is not', async () => {
  const outbound = undiciOutbound({ allowPrivateHosts: [`127.0.0.1:${canary.port}`], userAgent: 'test' });
  const before = canary.connections();
  expect(await outbound.request({ method: 'GET', url: `${canary.url}/x` })).toMatchObject({
    kind: 'answered',
    status: 200,
  });
  expect(await outbound.request({ method: 'GET', url: `http://127.0.0.1:${canary.port + 1}/` })).toEqual({
    kind: 'not_sent',
    reason: 'address_refused',
  });
  expect(canary.connections()).toBe(before + 1);
  await outbound.close();
});

test('a name that changes its address after the check reaches no private address', async () => {
  let asked = 0;
  // Nothing is routed in 2d00::/8: the connection fails or hangs, but it never reaches the canary.
  const rebinding = async () => (asked++ === 0 ? ['2d00:1::1'] : ['127.0.0.1']);
  const outbound = undiciOutbound({ allowPrivateHosts: [], userAgent: 'test', resolve: rebinding });
  const before = canary.connections();
  const url = `https://rebind.example.com:${canary.port}/`;
  expect(await outbound.request({ method: 'GET', url, deadlineSeconds: 1 })).toEqual({
    kind: 'not_sent',
    reason: 'connect',
  });
  expect(asked).toBe(1);
  expect(await outbound.request({ method: 'GET', url, deadlineSeconds: 1 })).toEqual({
    kind: 'not_sent',
    reason: 'address_refused',
  });
  expect(canary.connections()).toBe(before);
  await outbound.close();
});

test('plain HTTP requires an allowed host', async () => {
  const outbound = undiciOutbound({
    allowPrivateHosts: [],
    userAgent: 'test',
    resolve: async () => ['1.1.1.1'],
  });
  expect(await outbound.request({ method: 'GET', url: 'http://www.example.com/' })).toEqual({
    kind: 'not_sent',
    reason: 'address_refused',
  });
  await outbound.close();
});
