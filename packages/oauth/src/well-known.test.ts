import { gzipSync } from 'node:zlib';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { undiciOutbound } from '@switchboard/egress';
import { atprotoDirectory } from './atproto-directory.js';
import { mastodonServers } from './mastodon-server.js';

const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';

let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
let requestsAtOtherServer = 0;
let [home, elsewhere] = ['', ''];
let outbound: ReturnType<typeof undiciOutbound>;
const servers: Server[] = [];

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
beforeAll(async () => {
  home = await serve((request, response) => answer(request, response));
  elsewhere = await serve((_request, response) => {
    requestsAtOtherServer += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(document());
  });
});
afterEach(() => outbound.close());
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

/** All metadata fields in one document: each reader takes its own. */
const document = (filler = '') =>
  JSON.stringify({
    filler,
    did: DID,
    id: DID,
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: home }],
    links: [{ rel: 'self', href: `${home}/self` }],
    issuer: `${home}/`,
    authorization_endpoint: `${home}/own/authorize`,
    token_endpoint: `${home}/own/token`,
    revocation_endpoint: `${home}/own/revoke`,
    app_registration_endpoint: `${home}/own/apps`,
    code_challenge_methods_supported: ['S256'],
  });

function readers() {
  outbound = undiciOutbound({
    allowPrivateHosts: [new URL(home).host, new URL(elsewhere).host],
    userAgent: 'test',
  });
  const mastodon = mastodonServers(outbound, true);
  const directory = atprotoDirectory({ outbound, handleResolverUrl: home, plcDirectoryUrl: home });
  return {
    'a Mastodon server’s OAuth metadata': async () => {
      const facts = await mastodon.factsOf(home);
      return facts.kind === 'found' && facts.value.tokenPath === '/own/token';
    },
    'an account’s document': async () => (await directory.resolveServer(DID)).kind === 'found',
    'who has a handle': async () => (await directory.resolveDid('alice.test')).kind === 'found',
  };
}
const names = Object.keys({
  'a Mastodon server’s OAuth metadata': 0,
  'an account’s document': 0,
  'who has a handle': 0,
}) as (keyof ReturnType<typeof readers>)[];

const json = { 'content-type': 'application/json; charset=utf-8' };
const bad: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ...[301, 302, 303, 307, 308].map(
    (status) =>
      [
        `a ${status} to a server that would say it`,
        (response: ServerResponse) => response.writeHead(status, { location: `${elsewhere}/` }).end(),
      ] as const,
  ),
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(document())],
  ['a response without a content type', (response) => response.writeHead(200).end(document())],
  ['far more than it needs', (response) => response.writeHead(200, json).end(document('a'.repeat(300_000)))],
  [
    'a decompression bomb',
    (response) =>
      response
        .writeHead(200, { ...json, 'content-encoding': 'gzip' })
        .end(gzipSync(document('a'.repeat(50_000_000)))),
  ],
  ['half of it', (response) => response.writeHead(200, json).end(document().slice(0, -20))],
  ['nothing', (response) => response.writeHead(200, json).end()],
  ['a list', (response) => response.writeHead(200, json).end(`[${document()}]`)],
];

describe.each(names)('%s', (name) => {
  test('is accepted when it is valid', async () => {
    answer = (_request, response) => response.writeHead(200, json).end(document());
    expect(await readers()[name]()).toBe(true);
  });

  test.each(bad)('is rejected from %s', async (_what, say) => {
    answer = (_request, response) => say(response);
    const before = requestsAtOtherServer;
    expect(await readers()[name]()).toBe(false);
    expect(requestsAtOtherServer).toBe(before);
  });
});
