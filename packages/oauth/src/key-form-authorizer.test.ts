import { createHmac, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import type {
  ConnectMethod,
  ImportRequest,
  JwtFacts,
  KeyFormFacts,
  LoginRequest,
  Manifest,
  NamedAccount,
} from '@switchboard/domain/ports';
import { undiciOutbound } from '@switchboard/egress';
import { keyFormAuthorizer } from './key-form-authorizer.js';
import { parseStoreUrl } from './read-server-field.js';
import { createTestStore } from './testing/create-test-store.js';

/** A store that accepts only this key and returns the request that it received. */
const KEY = 'sk_right';
let store: Server;
let server: string;
let received: {
  url?: string | undefined;
  authorization?: string | undefined;
  key?: string | string[] | undefined;
}[];
beforeAll(async () => {
  received = [];
  store = createServer((request, response) => {
    const { authorization, 'x-store-key': key } = request.headers;
    received.push({ url: request.url, authorization, key });
    const sent = Buffer.from(authorization?.split(' ')[1] ?? '', 'base64').toString();
    const right =
      request.url?.startsWith(`/bot${KEY}/`) ||
      [`${KEY}:`, `name:${KEY}`].includes(sent) ||
      `Bearer ${KEY}` === authorization ||
      `Bot ${KEY}` === authorization ||
      key === KEY ||
      request.url?.endsWith(`?store_key=${KEY}`);
    response.writeHead(right ? 200 : 401).end('{}');
  });
  await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
  server = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((closed) => store.close(closed)));

function createScheme(
  send: KeyFormFacts['send'],
  allowHttp = true,
  account?: NamedAccount,
  accountField?: string,
  kind = 'store',
) {
  const connectMethod = {
    id: 'key',
    scheme: 'key_form',
    fields: [{ name: 'store', label: 'Store URL', placeholder: 'https://shop.example' }],
    keyForm: { serverField: account || accountField ? null : 'store', account, accountField, send },
  } as unknown as ConnectMethod;
  const manifest = {
    name: 'Acme',
    kind,
    connect: [connectMethod],
    permissions: { orders: ['read'], refunds: ['write', 'read'] },
  } as unknown as Manifest;
  const outbound = undiciOutbound({ allowPrivateHosts: [new URL(server).host], userAgent: 'test' });
  const origins = () => ({ baseUrl: server, authBaseUrl: null });
  const scheme = keyFormAuthorizer({ outbound, clock: createTestStore().clock, origins, allowHttp });
  const request = {
    manifest,
    connectMethod,
    signal: new AbortController().signal,
  } as unknown as LoginRequest;
  const login = (answers: Record<string, string>) => scheme.login({ ...request, fieldValues: answers });
  const importRow = async (accessToken: string, row: Partial<ImportRequest> = {}) => {
    const imported = await scheme.importGrant?.({
      ...(request as unknown as ImportRequest),
      accessToken: new Secret(accessToken),
      ...row,
    });
    if (!imported) throw new Error('keys can be imported');
    return imported;
  };
  return { scheme, login, importRow };
}

describe('an imported key', () => {
  test.each<[string, KeyFormFacts['send'], string]>([
    ['is sent as a name without password', { kind: 'basic', nameField: 'key', passwordField: null }, KEY],
    [
      'has two parts with a colon between them',
      { kind: 'basic', nameField: 'user', passwordField: 'key' },
      `name:${KEY}`,
    ],
    ['is sent as a bearer token', { kind: 'bearer', field: 'key' }, KEY],
    ['is sent in a header', { kind: 'header', name: 'X-Store-Key', field: 'key' }, KEY],
  ])('%s, as one that was entered', async (_, send, key) => {
    const { scheme, importRow } = createScheme(send);
    const imported = await importRow(key, { server });
    if (!imported.ok) throw new Error(imported.failure.message);
    const { grant, isObtained } = imported.value;
    expect([isObtained, grant.server, grant.expiresAt]).toEqual([false, server, null]);
    expect(grant.permissions).toEqual(['read', 'write']);
    const answer = await scheme.open(grant.credential).send({ method: 'GET', url: `${server}/me` });
    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('keeps what the row says: its end, and its permissions', async () => {
    const expiresAt = new Date('2030-01-01T00:00:00Z');
    const { importRow } = createScheme({ kind: 'bearer', field: 'key' });
    expect(await importRow(KEY, { server, expiresAt, permissions: ['read'] })).toMatchObject({
      value: { grant: { expiresAt, permissions: ['read'] } },
    });
  });

  test('of a bot is imported for the account that the row names', async () => {
    const { importRow } = createScheme({ kind: 'path', field: 'key' }, true, undefined, 'chat');
    expect(await importRow(KEY)).toMatchObject({ failure: { code: 'connection.import_invalid' } });
    expect(await importRow(KEY, { accountId: '@channel' })).toMatchObject({ ok: true });
  });

  test.each<[string, KeyFormFacts['send'], string, Partial<ImportRequest>, RegExp]>([
    ['without a server', { kind: 'bearer', field: 'key' }, KEY, {}, /Send server/],
    [
      'that signs requests',
      { kind: 'oauth1', keyField: 'a', secretField: 'b', tokenField: null, tokenSecretField: null },
      KEY,
      { server: 'https://shop.example' },
      /sign requests/,
    ],
    [
      'of one part in place of two',
      { kind: 'basic', nameField: 'user', passwordField: 'key' },
      KEY,
      { server: 'https://shop.example' },
      /two parts/,
    ],
    [
      'that cannot be sent',
      { kind: 'bearer', field: 'key' },
      'two lines',
      { server: 'https://shop.example' },
      /invalid character/,
    ],
  ])('%s is refused with what to send', async (_, send, key, row, message) => {
    const { importRow } = createScheme(send);
    expect(await importRow(key, row)).toMatchObject({
      ok: false,
      failure: { message: expect.stringMatching(message) as unknown },
    });
  });
});

test.each<[string, KeyFormFacts['send'], Record<string, string>]>([
  ['as a name without password', { kind: 'basic', nameField: 'key', passwordField: null }, { key: KEY }],
  [
    'as name and password',
    { kind: 'basic', nameField: 'user', passwordField: 'key' },
    { user: 'name', key: KEY },
  ],
  ['as a bearer token', { kind: 'bearer', field: 'key' }, { key: `  ${KEY}\n` }],
  ['in a header of its own', { kind: 'header', name: 'X-Store-Key', field: 'key' }, { key: KEY }],
  ['behind a word', { kind: 'header', name: 'Authorization', field: 'key', before: 'Bot ' }, { key: KEY }],
  ['in its place in the path', { kind: 'path', field: 'key' }, { key: KEY }],
  ['in the query', { kind: 'query', name: 'store_key', field: 'key' }, { key: KEY }],
  [
    'without the spaces with which it is displayed',
    { kind: 'basic', nameField: 'user', passwordField: 'key', ignoresSpaces: true },
    { user: 'name', key: [...KEY].join(' ') },
  ],
])('sends the key %s', async (_how, send, answers) => {
  const { scheme, login } = createScheme(send);
  const grant = await login({ store: `${server}/shop/`, ...answers });
  if (!grant.ok) throw new Error(grant.failure.message);
  expect(grant.value).toMatchObject({
    server: `${server}/shop`,
    permissions: ['read', 'write'],
    expiresAt: null,
  });
  expect(JSON.stringify(grant)).not.toContain(KEY);

  const transport = scheme.open(grant.value.credential);
  const answer = await transport.send({ method: 'GET', url: `${server}/bot:key/orders` });
  expect(answer).toMatchObject({ kind: 'answered', status: 200 });
});

/** Verifies the RFC 5849 signature of one-legged and token requests with an independent implementation. */
function expectSigned(header: string | undefined, url: string, secrets: string) {
  const parameters = new Map(
    [...(header ?? '').matchAll(/(oauth_\w+)="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, decodeURIComponent(value)] as const,
    ),
  );
  const signature = parameters.get('oauth_signature');
  parameters.delete('oauth_signature');
  const query = new URL(url).search.slice(1).split('&');
  const all = [...query, ...[...parameters].map((pair) => pair.map(encodeURIComponent).join('='))].sort();
  const base = ['GET', url.split('?')[0] ?? '', all.join('&')].map(encodeURIComponent).join('&');
  expect(signature).toBe(createHmac('sha256', secrets).update(base).digest('base64'));
  expect(parameters.get('oauth_nonce')).toMatch(/^\w{32}$/);
  return parameters;
}

describe('a signing key', () => {
  const pair = { kind: 'basic', nameField: 'key', passwordField: 'secret', signsOverHttp: true } as const;
  const oauth1Fields = {
    kind: 'oauth1',
    keyField: 'key',
    secretField: 'secret',
    tokenField: 'token',
    tokenSecretField: 'token_secret',
  } as const;
  const answers = { key: 'ck_1', secret: 'cs_2', token: 't', token_secret: 'ts' };

  test.each([
    ['a name and its secret where there is no TLS', pair, 'cs_2&', undefined],
    ['four keys', oauth1Fields, 'cs_2&ts', 't'],
  ] as const)('%s: signs every request with its query and sends no secret', async (...row) => {
    const [, send, secrets, token] = row;
    const { scheme, login } = createScheme(send);
    const grant = await login({ store: server, ...answers });
    if (!grant.ok) throw new Error(grant.failure.message);
    const transport = scheme.open(grant.value.credential);
    const url = `${server}/orders?after=2026-11-22 08:00&status=a,b`;
    await transport.send({ method: 'GET', url });
    await transport.send({ method: 'GET', url });
    const headers = received.slice(-2).map(({ authorization }) => authorization);
    expect(received.at(-1)?.url).toBe('/orders?after=2026-11-22%2008%3A00&status=a%2Cb');
    const [first, second] = headers.map((header) =>
      expectSigned(header, `${server}${received.at(-1)?.url ?? ''}`, secrets),
    );
    expect(first?.get('oauth_token')).toBe(token);
    expect(first?.get('oauth_nonce')).not.toBe(second?.get('oauth_nonce'));
    expect(headers.join()).not.toContain('cs_2');
  });

  test('over TLS the name and secret are sent as HTTP Basic', async () => {
    const { scheme, login } = createScheme(pair);
    const grant = await login({ store: 'https://shop.example', ...answers });
    if (!grant.ok) throw new Error(grant.failure.message);
    expect(grant.value.credential.reveal()).toContain(Buffer.from('ck_1:cs_2').toString('base64'));
    expect(scheme.open(grant.value.credential).isRenewable).toBe(false);
  });
});

test('a key in the query replaces what an adapter put there, and no placeholder of it', async () => {
  const { scheme, login } = createScheme({ kind: 'query', name: 'store_key', field: 'key' });
  const grant = await login({ store: server, key: KEY });
  if (!grant.ok) throw new Error(grant.failure.message);
  const url = `${server}/:key?store_key=mine&echo=:key`;
  await scheme.open(grant.value.credential).send({ method: 'GET', url });
  expect(received.at(-1)?.url?.replaceAll('%3A', ':')).toBe(`/:key?echo=:key&store_key=${KEY}`);
});

describe('a key that signs tokens', () => {
  const jwt = {
    kind: 'jwt',
    algorithm: 'HS256',
    keyField: 'key',
    keyId: null,
    claims: { aud: '/admin/', iss: '{issuer}' },
    lifetimeSeconds: 300,
  } as const;
  const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' = 'pkcs8') =>
    key.export({ type, format: 'pem' }).toString();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const hex = 'f0e1d2c3b4a5968778695a4b3c2d1e0f';
  const hmacOver = (key: Buffer) => (text: string, signature: Buffer) =>
    createHmac('sha256', key).update(text).digest().equals(signature);
  const signedBy =
    (key: KeyObject) =>
    (text: string, signature: Buffer): boolean =>
      verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);

  test.each<
    [string, Partial<JwtFacts>, Record<string, string>, string | undefined, (t: string, s: Buffer) => boolean]
  >([
    ['a secret', {}, { key: 'a secret' }, undefined, hmacOver(Buffer.from('a secret'))],
    [
      'an id and a secret in one text',
      { keyEncoding: 'hex', keyId: { before: ':' }, scheme: 'Ghost' },
      { key: ` 64a1:${hex} ` },
      '64a1',
      hmacOver(Buffer.from(hex, 'hex')),
    ],
    [
      'an EC key, whose lines the form joined',
      { algorithm: 'ES256', keyId: { field: 'kid' } },
      { key: pem(ec.privateKey).replaceAll('\n', ' '), kid: 'K1' },
      'K1',
      signedBy(ec.publicKey),
    ],
    [
      'an RSA key in its older format',
      { algorithm: 'RS256' },
      { key: pem(rsa.privateKey, 'pkcs1') },
      undefined,
      signedBy(rsa.publicKey),
    ],
  ])('%s: every request has a short-lived token, and never the key', async (...row) => {
    const [, over, answers, kid, isSigned] = row;
    const { scheme, login } = createScheme({ ...jwt, ...over });
    const grant = await login({ store: server, issuer: 'team', ...answers });
    if (!grant.ok) throw new Error(grant.failure.message);
    const transport = scheme.open(grant.value.credential);
    expect(transport).toMatchObject({ isRenewable: false, accessExpiresAt: null });
    await transport.send({ method: 'GET', url: `${server}/posts` });
    const [word, token = ''] = received.at(-1)?.authorization?.split(' ') ?? [];
    expect(word).toBe(over.scheme ?? 'Bearer');
    const [header = '', claims = '', signature = ''] = token.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
    expect(read(header)).toEqual({ alg: over.algorithm ?? 'HS256', typ: 'JWT', ...(kid && { kid }) });
    const { iat, exp, ...rest } = read(claims) as { readonly iat: number; readonly exp: number };
    expect(rest).toEqual({ aud: '/admin/', iss: 'team' });
    expect(exp - iat).toBe(300);
    expect(isSigned(`${header}.${claims}`, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.stringify(received.at(-1))).not.toContain(answers['key'] ?? '');
  });

  test.each<[string, Partial<JwtFacts>, string]>([
    ['nothing', {}, ''],
    ['no PEM text', { algorithm: 'RS256' }, 'secret'],
    ['a key of another kind', { algorithm: 'RS256' }, pem(ec.privateKey)],
    ['a public key', { algorithm: 'ES256' }, ec.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['a text that is not hexadecimal', { keyEncoding: 'hex' }, 'xyz'],
    ['a secret without its id', { keyId: { before: ':' } }, 'secret'],
  ])('%s is no key', async (_what, over, key) => {
    const { login } = createScheme({ ...jwt, ...over });
    expect(await login({ store: server, issuer: 'team', key })).toMatchObject({
      failure: { code: 'connect.answer_invalid', problems: [{ path: 'key' }] },
    });
  });
});

test('a key for many accounts stores the account that was entered with it', async () => {
  const send = { kind: 'path', field: 'key' } as const;
  const { scheme, login } = createScheme(send, true, undefined, 'chat');
  const grant = await login({ key: KEY, chat: ' @kiln\n' });
  if (!grant.ok) throw new Error(grant.failure.message);
  expect(scheme.open(grant.value.credential).subject).toBe('@kiln');
  const { scheme: other, login: enter } = createScheme(send);
  const tokenOnly = await enter({ store: server, key: KEY });
  expect(tokenOnly.ok && other.open(tokenOnly.value.credential).subject).toBeNull();
});

test('a key that the store rejects ends the grant: it cannot be renewed', async () => {
  const { scheme, login } = createScheme({ kind: 'bearer', field: 'key' });
  const grant = await login({ store: server, key: 'sk_wrong' });
  if (!grant.ok) throw new Error(grant.failure.message);
  const answer = await scheme.open(grant.value.credential).send({ method: 'GET', url: server });
  if (answer.kind !== 'answered') throw new Error(answer.kind);
  expect(scheme.open(grant.value.credential).isCredentialRejected(answer)).toBe(true);
  expect(await scheme.renew({} as never)).toEqual({ kind: 'over' });
});

test.each(['', 'two words', 'ключ', 'a\u0000b'])('%j is not a key and is not sent', async (key) => {
  const before = received.length;
  const { login } = createScheme({ kind: 'bearer', field: 'key' });
  const refused = await login({ store: server, key });
  expect(refused).toMatchObject({
    ok: false,
    failure: { code: 'connect.answer_invalid', problems: [{ path: 'key' }] },
  });
  expect(received).toHaveLength(before);
});

test('a store without TLS is rejected unless plain HTTP is allowed', async () => {
  const { login } = createScheme({ kind: 'bearer', field: 'key' }, false);
  expect(await login({ store: server, key: KEY })).toMatchObject({
    ok: false,
    failure: { code: 'connect.answer_invalid', problems: [{ path: 'store' }] },
  });
});

describe('the store URL', () => {
  test.each([
    ['shop.example', 'https://shop.example'],
    [' https://Shop.Example/ ', 'https://shop.example'],
    ['https://shop.example/en/store/?ref=x#top', 'https://shop.example/en/store'],
    ['shop.example:8443', 'https://shop.example:8443'],
    ['\u200bshop.example', 'https://shop.example'],
  ])('%j is %s', (typed, read) => expect(parseStoreUrl(typed, false)).toBe(read));

  test.each([
    '',
    'shop',
    'http://shop.example',
    'https://me:pw@shop.example',
    'ftp://shop.example',
    'javascript:alert(1)',
    undefined,
  ])('%j is rejected', (typed) => expect(parseStoreUrl(typed, false)).toBeNull());

  test('without TLS is accepted in development', () => {
    expect(parseStoreUrl('http://127.0.0.1:9000', true)).toBe('http://127.0.0.1:9000');
  });
});

test('the key of a named account goes to the account’s origin, and not to an entered host', async () => {
  const account: NamedAccount = {
    field: 'store',
    patterns: [/^([a-z0-9]+)$/, /\/stores\/([a-z0-9]+)(?:\/.*)?$/],
    location: { kind: 'path', path: '/stores/{name}' },
  };
  const { login } = createScheme({ kind: 'bearer', field: 'key' }, true, account);
  for (const store of ['abc123', 'https://elsewhere.example/stores/abc123/v3/']) {
    expect(await login({ store, key: KEY })).toMatchObject({
      ok: true,
      value: { server: `${server}/stores/abc123` },
    });
  }
  expect(await login({ store: '../admin', key: KEY })).toMatchObject({
    ok: false,
    failure: { code: 'connect.answer_invalid', problems: [{ path: 'store' }] },
  });
});

test.each([
  ['commerce', /store URL/],
  ['social', /server URL/],
])('prompts for the server of a %s platform in its own terms (finding 66)', async (kind, words) => {
  const { login } = createScheme({ kind: 'bearer', field: 'key' }, false, undefined, undefined, kind);
  expect(await login({ store: 'nothing', key: KEY })).toMatchObject({
    failure: { code: 'connect.answer_invalid', message: expect.stringMatching(words) as unknown },
  });
});
