import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { undiciOutbound } from '@switchboard/egress';
import { startMastodon, type RunningMastodon } from '@switchboard/simulators';
import { mastodonServers, parseInstance } from './mastodon-server.js';

describe('the server input', () => {
  test.each([
    ['mastodon.social', 'https://mastodon.social', null],
    [' Mastodon.Social/ ', 'https://mastodon.social', null],
    ['https://mastodon.social/@alice/1', 'https://mastodon.social', null],
    ['mastodon.social/@alice', 'https://mastodon.social', null],
    ['@alice@mastodon.social', 'https://mastodon.social', 'alice@mastodon.social'],
    ['alice@social.example:8443', 'https://social.example:8443', 'alice@social.example:8443'],
    ['localhost:8444', 'https://localhost:8444', null],
    ['\u200ebücher.example\u200b', 'https://xn--bcher-kva.example', null],
  ])('%j is a server', (typed, origin, handle) => {
    expect(parseInstance(typed, false)).toEqual({ origin, handle });
  });

  test.each(['', 'alice', '@alice', 'http://mastodon.social', 'javascript:alert(1)', 'https://u:p@m.social'])(
    '%j is rejected',
    (typed) => expect(parseInstance(typed, false)).toBeNull(),
  );

  test('accepts a server without TLS where that is allowed', () => {
    expect(parseInstance('http://127.0.0.1:3000', true)).toEqual({
      origin: 'http://127.0.0.1:3000',
      handle: null,
    });
  });
});

describe('the server of a handle', () => {
  let mastodon: RunningMastodon;
  let domain: Server;
  let outbound: ReturnType<typeof undiciOutbound>;
  let [home, location] = ['', ''];
  beforeAll(async () => {
    mastodon = await startMastodon();
    domain = createServer((_request, response) =>
      location === '' ? void response.writeHead(404).end() : void response.writeHead(301, { location }).end(),
    );
    await new Promise<void>((listening) => domain.listen(0, '127.0.0.1', listening));
    home = `http://127.0.0.1:${(domain.address() as AddressInfo).port}`;
    const allowPrivateHosts = [new URL(home).host, new URL(mastodon.url).host];
    outbound = undiciOutbound({ allowPrivateHosts, userAgent: 'test' });
  });
  afterEach(() => void (location = ''));
  afterAll(async () => {
    await outbound.close();
    await mastodon.close();
    domain.close();
  });
  const resolveServer = () =>
    mastodonServers(outbound, true).resolveServer({ origin: home, handle: 'alice@example.org' });

  test('is the one that its domain redirects to', async () => {
    location = `${mastodon.url}/.well-known/webfinger?resource=acct:alice@example.org`;
    expect(await resolveServer()).toEqual({ kind: 'found', value: mastodon.url });
  });

  test('is the domain itself without a redirect', async () => {
    expect(await resolveServer()).toEqual({ kind: 'found', value: home });
  });

  test('is none for a private address or a redirect loop', async () => {
    location = 'http://127.0.0.1:1/';
    expect(await resolveServer()).toEqual({ kind: 'address_refused' });
    location = `${home}/again`;
    expect(await resolveServer()).toEqual({ kind: 'nothing' });
  });
});
