import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Connection } from '@switchboard/domain/connections';
import { createTestStore, type TestStore } from './testing/create-test-store.js';
import {
  manifest,
  openSandboxFixture,
  redirectUri,
  signal,
  connectMethod,
  workspaceId,
} from './testing/open-sandbox-fixture.js';

const good = {
  access_token: 'at-1',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'rt-1',
  scope: 'profile posts:write posts:read insights:read',
};
const json = (body: string | object, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

let serverResponse: { status: number; headers: Record<string, string>; body: string } = json(good);
const requestsAtOtherServer: string[] = [];
const answer = (url: string, response: ServerResponse) => {
  requestsAtOtherServer.push(url);
  response.writeHead(serverResponse.status, serverResponse.headers).end(serverResponse.body);
};
const server = createServer((request, response) => {
  request.resume().on('end', () => answer(request.url ?? '', response));
});
/** A server that must never receive a request of this service. */
const otherServer: string[] = [];
const foreignServer = createServer((request, response) => {
  otherServer.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(good));
});
const originOf = (of: typeof server) => `http://127.0.0.1:${(of.address() as { port: number }).port}`;

let world: Awaited<ReturnType<typeof openSandboxFixture>>;
let store: TestStore;
beforeAll(async () => {
  for (const one of [server, foreignServer])
    await new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
  world = await openSandboxFixture(fetch, [originOf(server), originOf(foreignServer)]);
});
afterAll(async () => {
  for (const one of [server, foreignServer]) one.close();
  await world.close();
});
beforeEach(() => {
  store = createTestStore();
  serverResponse = json(good);
  requestsAtOtherServer.length = 0;
});

async function exchange() {
  const { authorizers } = world.open(store, originOf(server));
  const base = { workspaceId, profileId: 'prf_test' as never, manifest, connectMethod, redirectUri, signal };
  const begun = await authorizers.begin({ ...base, fieldValues: {}, state: 'st4te' });
  if (!begun.ok) throw new Error(begun.failure.code);
  const parameters = { state: 'st4te', code: 'c0de', iss: `${originOf(server)}/social` };
  return authorizers.complete({ ...base, parameters, context: begun.value.context });
}

async function connected(): Promise<Connection> {
  const grant = await exchange();
  if (!grant.ok) throw new Error(grant.failure.code);
  const connection = {
    id: store.ids.next('con'),
    workspaceId,
    profileId: 'prf_test',
    platform: manifest.id,
    connectMethod: connectMethod.id,
    account: { id: 'ada', username: 'ada', name: null, avatarUrl: null, url: null },
    server: null,
    grantedPermissions: grant.value.permissions,
    refusedPermissions: [],
    status: 'active',
    statusReason: null,
    expiresAt: null,
    warnedDays: null,
    appMissing: false,
    watchOrders: false,
    version: 1,
  } as unknown as Connection;
  await store.storeConnection(connection, grant.value.credential, grant.value.accessExpiresAt);
  return connection;
}
const readConnectionStatus = ({ id }: Connection) => store.connections.find(workspaceId, id);

const invalidResponses: readonly [string, () => typeof serverResponse][] = [
  ['no access token', () => json({ ...good, access_token: undefined })],
  ['a token of the type mac', () => json({ ...good, token_type: 'mac' })],
  ['a lifetime of -1', () => json({ ...good, expires_in: -1 })],
  ['a lifetime of "abc"', () => json({ ...good, expires_in: 'abc' })],
  ['a lifetime of 1e18', () => json({ ...good, expires_in: 1e18 })],
  ['a megabyte', () => json({ ...good, padding: 'x'.repeat(1_048_576) })],
  ['a page with 200', () => ({ ...json('<h1>Welcome</h1>'), headers: { 'content-type': 'text/html' } })],
  ['a page that says it is JSON', () => json('<h1>Welcome</h1>')],
  ['null', () => json('null')],
  ['a list', () => json('[]')],
  [
    'two access tokens, of which the last is none',
    () => json(`{"access_token":"at-9","token_type":"Bearer","access_token":""}`),
  ],
  ...[301, 302, 303, 307, 308].map(
    (status) =>
      [
        `a redirect with ${status}`,
        () => ({ ...json('{}', status), headers: { location: `${originOf(foreignServer)}/take` } }),
      ] as [string, () => typeof serverResponse],
  ),
];

test.each(invalidResponses)(
  'N24, N25: a code is not exchanged for %s, and the secret goes nowhere else',
  async (_what, body) => {
    serverResponse = body();
    expect(await exchange()).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
    expect([requestsAtOtherServer, otherServer]).toEqual([['/social/oauth/token'], []]);
  },
);

test.each(invalidResponses)(
  'N24, N25: a login is not renewed with %s, and stays as it was',
  async (_what, body) => {
    const connection = await connected();
    serverResponse = body();
    requestsAtOtherServer.length = 0;
    const { sessions } = world.open(store, originOf(server));
    expect(await sessions.renew(connection, 1)).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await sessions.renew(connection, 1)).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect([requestsAtOtherServer, otherServer]).toEqual([['/social/oauth/token'], []]);
    expect(await readConnectionStatus(connection)).toMatchObject({ status: 'active' });
    expect((await store.findCredential(connection))?.generation).toBe(1);
  },
);

test('N24: a renewal with fewer permissions succeeds and reports the missing ones', async () => {
  const connection = await connected();
  serverResponse = json({ ...good, access_token: 'at-2', scope: 'profile' });
  const { sessions } = world.open(store, originOf(server));
  expect(await sessions.renew(connection, 1)).toMatchObject({ ok: true });
  expect(await readConnectionStatus(connection)).toMatchObject({
    status: 'degraded',
    grantedPermissions: ['profile'],
  });
  expect(store.events).toMatchObject([
    {
      type: 'connection.degraded',
      data: { reason: 'permission_missing', missing_permissions: ['posts:write', 'posts:read'] },
    },
  ]);
});

test('a server that sends Retry-After receives no request until then', async () => {
  const connection = await connected();
  serverResponse = { ...json({ error: 'slow_down' }, 429), headers: { 'retry-after': '1200' } };
  const { sessions } = world.open(store, originOf(server));
  await sessions.renew(connection, 1);
  serverResponse = json(good);
  store.clock.advance(1_100);
  expect(await sessions.renew(connection, 1)).toMatchObject({ failure: { retryAfterSeconds: 100 } });
  store.clock.advance(101);
  expect(await sessions.renew(connection, 1)).toMatchObject({ ok: true });
});
