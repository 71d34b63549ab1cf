import http from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { guardedAgents } from './guarded-agents.js';
import { serveHttp, type TestServer } from './testing/servers.js';
import { undiciOutbound } from './undici-outbound.js';

/** Names that exist only here: what a hostile name server would say. */
const names: Readonly<Record<string, readonly string[]>> = {
  'loop.example.com': ['127.0.0.1'],
  'loop6.example.com': ['::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'nat64.example.com': ['64:ff9b::7f00:1'],
  'sixtofour.example.com': ['2002:7f00:1::'],
  'mixed.example.com': ['1.1.1.1', '127.0.0.1'],
  'mixed6.example.com': ['2606:4700:4700::1111', '::1'],
  'metadata.example.com': ['169.254.169.254'],
  'zero.example.com': ['0.0.0.0'],
  'zone.example.com': ['fe80::1%lo'],
  'nonsense.example.com': ['127.1'],
  'empty.example.com': [],
};
const resolve = async (host: string) => names[host] ?? Promise.reject(new Error(`no such name: ${host}`));

let canary: TestServer;
beforeAll(async () => {
  canary = await serveHttp((_request, response) => response.end('canary'));
});
afterAll(() => canary.close());

const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.127.127.127',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7f.0.0.0x1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '00000177.0.0.1',
  '127.0.0.1.',
  '2130706433.',
  '1２7.0.0.1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fe80::1%25lo]',
  '[::1%25lo]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost',
  'a.localhost',
  'printer.local',
  'db.internal',
  'intranet',
  'user@127.0.0.1',
  'user:secret@localhost',
  'www.example.com@127.0.0.1',
  'www.example.com%40@127.0.0.1',
  ...Object.keys(names),
];
const spellings = hosts.flatMap((host) => ['http', 'https'].map((scheme) => [scheme, host] as const));
const urls = () => [
  ...spellings.map(([scheme, host]) => `${scheme}://${host}:${canary.port}/x`),
  `http:\\\\127.0.0.1:${canary.port}\\x`,
  `http:/127.0.0.1:${canary.port}/x`,
  `https:127.0.0.1:${canary.port}/x`,
  ` http://127.0.0.1:${canary.port}/x`,
  `http://127.0.0.1\t:${canary.port}/x`,
  `HTTP://127.0.0.1:${canary.port}/x`,
  `ftp://127.0.0.1:${canary.port}/x`,
  `ws://127.0.0.1:${canary.port}/x`,
  `file:///etc/passwd`,
  `//127.0.0.1:${canary.port}/x`,
  `127.0.0.1:${canary.port}/x`,
  '',
];

test('no spelling of a loopback address reaches a listener on it, through the client', async () => {
  const outbound = undiciOutbound({ allowPrivateHosts: [], userAgent: 'test', resolve });
  expect(urls().length).toBeGreaterThan(100);
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

test('no spelling of a loopback address reaches a listener on it, through the agents', async () => {
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

test('a host that the operator opened is reached, and the same host on another port is not', async () => {
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

test('a name that changes its address after the check leads nowhere private', async () => {
  let asked = 0;
  // Nothing is routed in 2d00::/8: the dial fails or hangs, but it never comes to the canary.
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

test('plain http is for hosts that the operator opened', async () => {
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
