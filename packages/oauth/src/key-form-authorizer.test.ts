import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConnectWay, KeyFormFacts, LoginRequest, Manifest } from '@switchboard/domain';
import { undiciOutbound } from '@switchboard/egress';
import { keyFormAuthorizer, readStoreUrl } from './key-form-authorizer.js';
import { memory } from './testing/memory.js';

/** A store that accepts no key but this, and says what it was sent. */
const KEY = 'sk_right';
let store: Server;
let server: string;
let seen: { authorization?: string | undefined; key?: string | string[] | undefined }[];
beforeAll(async () => {
  seen = [];
  store = createServer((request, response) => {
    const { authorization, 'x-store-key': key } = request.headers;
    seen.push({ authorization, key });
    const sent = Buffer.from(authorization?.split(' ')[1] ?? '', 'base64').toString();
    const right =
      [`${KEY}:`, `name:${KEY}`].includes(sent) || `Bearer ${KEY}` === authorization || key === KEY;
    response.writeHead(right ? 200 : 401).end('{}');
  });
  await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
  server = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((closed) => store.close(closed)));

function open(send: KeyFormFacts['send'], allowHttp = true) {
  const way = {
    id: 'key',
    scheme: 'key_form',
    keyForm: { serverField: 'store', send },
  } as unknown as ConnectWay;
  const manifest = {
    name: 'Acme',
    permissions: { orders: ['read'], refunds: ['write', 'read'] },
  } as unknown as Manifest;
  const outbound = undiciOutbound({ allowPrivateHosts: [new URL(server).host], userAgent: 'test' });
  const scheme = keyFormAuthorizer({ outbound, clock: memory().clock, allowHttp });
  const request = { manifest, way, signal: new AbortController().signal } as unknown as LoginRequest;
  const login = (answers: Record<string, string>) => scheme.login({ ...request, answers });
  return { scheme, login };
}

test.each<[string, KeyFormFacts['send'], Record<string, string>]>([
  ['as a name without password', { kind: 'basic', nameField: 'key', passwordField: null }, { key: KEY }],
  [
    'as name and password',
    { kind: 'basic', nameField: 'user', passwordField: 'key' },
    { user: 'name', key: KEY },
  ],
  ['as a bearer token', { kind: 'bearer', field: 'key' }, { key: `  ${KEY}\n` }],
  ['in a header of its own', { kind: 'header', name: 'X-Store-Key', field: 'key' }, { key: KEY }],
])('sends the key %s', async (_how, send, answers) => {
  const { scheme, login } = open(send);
  const grant = await login({ store: `${server}/shop/`, ...answers });
  if (!grant.ok) throw new Error(grant.failure.message);
  expect(grant.value).toMatchObject({
    server: `${server}/shop`,
    permissions: ['read', 'write'],
    expiresAt: null,
  });
  expect(JSON.stringify(grant)).not.toContain(KEY);

  const line = scheme.open(grant.value.credential);
  const answer = await line.send({ method: 'GET', url: `${server}/orders` });
  expect(answer).toMatchObject({ kind: 'answered', status: 200 });
});

test('a key that the store refuses is over: there is nothing to renew it with', async () => {
  const { scheme, login } = open({ kind: 'bearer', field: 'key' });
  const grant = await login({ store: server, key: 'sk_wrong' });
  if (!grant.ok) throw new Error(grant.failure.message);
  const answer = await scheme.open(grant.value.credential).send({ method: 'GET', url: server });
  if (answer.kind !== 'answered') throw new Error(answer.kind);
  expect(scheme.open(grant.value.credential).refusesCredential(answer)).toBe(true);
  expect(await scheme.renew({} as never)).toEqual({ kind: 'over' });
});

test.each(['', 'two words', 'ключ', 'a\u0000b'])('%j is no key, and is sent to nobody', async (key) => {
  const before = seen.length;
  const { login } = open({ kind: 'bearer', field: 'key' });
  const refused = await login({ store: server, key });
  expect(refused).toMatchObject({
    ok: false,
    failure: { code: 'connect.answer_invalid', problems: [{ path: 'key' }] },
  });
  expect(seen).toHaveLength(before);
});

test('without TLS no store is taken where that is not allowed', async () => {
  const { login } = open({ kind: 'bearer', field: 'key' }, false);
  expect(await login({ store: server, key: KEY })).toMatchObject({
    ok: false,
    failure: { code: 'connect.answer_invalid', problems: [{ path: 'store' }] },
  });
});

describe('the address of a store', () => {
  test.each([
    ['shop.example', 'https://shop.example'],
    [' https://Shop.Example/ ', 'https://shop.example'],
    ['https://shop.example/en/store/?ref=x#top', 'https://shop.example/en/store'],
    ['shop.example:8443', 'https://shop.example:8443'],
    ['\u200bshop.example', 'https://shop.example'],
  ])('%j is %s', (typed, read) => expect(readStoreUrl(typed, false)).toBe(read));

  test.each([
    '',
    'shop',
    'http://shop.example',
    'https://me:pw@shop.example',
    'ftp://shop.example',
    'javascript:alert(1)',
    undefined,
  ])('%j is none', (typed) => expect(readStoreUrl(typed, false)).toBeNull());

  test('without TLS is one in development', () => {
    expect(readStoreUrl('http://127.0.0.1:9000', true)).toBe('http://127.0.0.1:9000');
  });
});
