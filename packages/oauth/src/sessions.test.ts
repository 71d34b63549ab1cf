import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Connection } from '@switchboard/domain/connections';
import type { PlatformRequest, Session } from '@switchboard/domain/ports';
import { createTestStore, type TestStore } from './testing/create-test-store.js';
import { openSandboxFixture, signal } from './testing/open-sandbox-fixture.js';

let world: Awaited<ReturnType<typeof openSandboxFixture>>;
beforeAll(async () => {
  world = await openSandboxFixture(fetch);
});
afterEach(() => void world.sandbox.faults.clear());
afterAll(() => world.close());

const me: PlatformRequest = { method: 'GET', path: '/social/api/me', effect: 'read' };
const post: PlatformRequest = {
  method: 'POST',
  path: '/social/api/posts',
  json: { text: 'hello' },
  effect: 'write',
};
const refreshes = (account: string) =>
  world.sandbox.ledger
    .entries({ effect: 'token.issued', account })
    .filter((entry) => entry['grant'] === 'refresh_token').length;
const posts = (account: string) => world.sandbox.ledger.entries({ effect: 'post.created', account }).length;

async function open(connection: Connection, store: TestStore): Promise<Session> {
  const opened = await world
    .open(store)
    .sessions.open(connection, { purpose: 'check', actor: 'system:worker' }, signal);
  if (!opened.ok) throw new Error(opened.failure.code);
  return opened.value;
}

test('opens a session for the account and audits the purpose and the caller, once a minute', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const { sessions } = world.open(store);
  for (let at = 0; at < 3; at++) {
    const session = await sessions.open(connection, { purpose: 'publish', actor: 'system:worker' }, signal);
    expect(session.ok && (await session.value.request(me))).toMatchObject({
      value: { json: { username: 'maren' } },
    });
  }
  await sessions.open(connection, { purpose: 'analytics', actor: 'system:worker' }, signal);
  const used = () =>
    store.audit.filter(({ action }) => action === 'token.used').map(({ details }) => details['purpose']);
  expect(used()).toEqual(['publish', 'analytics']);
  store.clock.advance(61);
  await sessions.open(connection, { purpose: 'publish', actor: 'system:worker' }, signal);
  expect(used()).toEqual(['publish', 'analytics', 'publish']);
  await sessions.open(connection, { purpose: 'publish', actor: 'key_maren' }, signal);
  expect(store.audit.map(({ actor }) => actor)).toEqual([
    'system:worker',
    'system:worker',
    'system:worker',
    'key_maren',
  ]);
});

test('sessions that are opened together read the credential once, and later ones read it again', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const find = jest.fn(store.credentials.find);
  const credentials = Object.create(store.credentials, { find: { value: find } }) as typeof store.credentials;
  const { sessions } = world.open({ ...store, credentials });
  const openOne = () => sessions.open(connection, { purpose: 'publish', actor: 'system:worker' }, signal);
  const opened = await Promise.all([openOne(), openOne(), openOne()]);
  expect(opened.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(find).toHaveBeenCalledTimes(1);
  expect((await openOne()).ok).toBe(true);
  expect(find).toHaveBeenCalledTimes(2);
});

test('fifty concurrent requests in two processes with an expired token refresh it exactly once', async () => {
  const store = createTestStore();
  const connection = await world.connection('lumen-coffee', store);
  const processes = [world.open(store), world.open(store)];
  store.clock.advance(3_700);
  const before = refreshes('lumen-coffee');
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const session = await processes[at % 2]?.sessions.open(
        connection,
        { purpose: 'check', actor: 'system:worker' },
        signal,
      );
      return session?.ok ? session.value.request(me) : session;
    }),
  );
  expect(answers.filter((answer) => answer?.ok)).toHaveLength(50);
  expect(refreshes('lumen-coffee') - before).toBe(1);
  expect((await store.findCredential(connection))?.generation).toBe(2);
});

test('fifty concurrent requests that receive a 401 renew once, and all of them succeed', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const sessions = [await open(connection, store), await open(connection, store)];
  world.sandbox.control.expireTokens({ account: 'maren-holt' });
  const [before, written] = [refreshes('maren-holt'), posts('maren-holt')];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => (sessions[at % 2] as Session).request(at < 25 ? me : post)),
  );
  expect(answers.every((answer) => answer.ok && answer.value.ok)).toBe(true);
  expect(refreshes('maren-holt') - before).toBe(1);
  expect(posts('maren-holt') - written).toBe(25);
});

test('renews shortly before the expiry, and not earlier', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const before = refreshes('maren-holt');
  store.clock.advance(3_200);
  await open(connection, store);
  expect(refreshes('maren-holt')).toBe(before);
  store.clock.advance(60);
  await open(connection, store);
  expect(refreshes('maren-holt')).toBe(before + 1);
});

test.each(['500-before', 'reset-before-effect', '429'] as const)(
  'a token endpoint that fails with %s leaves the connection active and the old token in use',
  async (kind) => {
    const store = createTestStore();
    const connection = await world.connection('tidal-museum', store);
    world.sandbox.faults.add({
      platform: 'social',
      match: { path_prefix: '/oauth/token' },
      kind,
      times: null,
    });
    store.clock.advance(3_400);
    const session = await open(connection, store);
    expect((await session.request(me)).ok).toBe(true);

    store.clock.advance(3_600);
    expect(
      await world.open(store).sessions.open(connection, { purpose: 'check', actor: 'system:worker' }, signal),
    ).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect((await store.connections.find(connection.workspaceId, connection.id))?.status).toBe('active');
    expect(store.events).toEqual([]);
    world.sandbox.faults.clear();
    store.clock.advance(900);
    expect((await open(connection, store)).account.id).toBe('tidal-museum');
  },
);

test('a grant that the owner revoked marks the connection needs_reauth with one event, for any number of requests', async () => {
  const store = createTestStore();
  const connection = await world.connection('tidal-museum', store);
  const processes = [world.open(store), world.open(store)];
  world.sandbox.control.revokeGrants({ account: 'tidal-museum' });
  store.clock.advance(3_700);
  const before = world.sandbox.requests().length;
  const opened = await Promise.all(
    Array.from({ length: 20 }, async (_, at) =>
      processes[at % 2]?.sessions.open(connection, { purpose: 'check', actor: 'system:worker' }, signal),
    ),
  );
  expect(opened.map((each) => each?.ok === false && each.failure.code)).toEqual(
    Array(20).fill('connection.needs_reauth'),
  );
  expect(store.events).toMatchObject([
    { type: 'connection.needs_reauth', data: { connection_id: connection.id, reason: 'grant_ended' } },
  ]);
  expect(store.audit.filter(({ action }) => action === 'connection.needs_reauth')).toHaveLength(1);
  expect(await store.connections.find(connection.workspaceId, connection.id)).toMatchObject({
    status: 'needs_reauth',
  });
  expect(world.sandbox.requests().length - before).toBe(1);
});

test('a token that is rejected right after its renewal marks the connection needs_reauth, once', async () => {
  const store = createTestStore();
  const connection = await world.connection('lumen-coffee', store);
  const session = await open(connection, store);
  world.sandbox.faults.add({
    platform: 'social',
    match: { path_prefix: '/api/me' },
    kind: '500-before',
    status: 401,
    times: null,
  });
  const before = refreshes('lumen-coffee');
  expect(await session.request(me)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  expect(refreshes('lumen-coffee') - before).toBe(1);
  expect(store.events).toMatchObject([{ data: { reason: 'token_refused' } }]);
});

test('a login that the platform rejects with its own error code instead of a 401 is treated as rejected', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const session = await open(connection, store);
  const before = refreshes('maren-holt');
  const said = (code: string) => ({ ...me, isCredentialRejected: () => code === 'FORBIDDEN' });
  expect(await session.request(said('fine'))).toMatchObject({ ok: true });
  expect(refreshes('maren-holt')).toBe(before);
  expect(await session.request(said('FORBIDDEN'))).toMatchObject({
    failure: { code: 'connection.needs_reauth' },
  });
  expect(refreshes('maren-holt')).toBe(before + 1);
  expect(store.events.map(({ type }) => type)).toEqual(['connection.needs_reauth']);
});

test('where an adapter reads every response, it interprets 401 and 500 itself, and the connection stays active', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const session = await open(connection, store);
  const fault = { platform: 'social', match: { path_prefix: '/social/api/posts' } } as const;
  for (const status of [401, 503]) {
    world.sandbox.faults.add({ ...fault, kind: '500-before', status });
    const answered = await session.request({ ...post, acceptsErrorStatuses: true });
    expect(answered).toMatchObject({ ok: true, value: { ok: false, status } });
  }
  world.sandbox.faults.add({ ...fault, kind: '500-before' });
  expect(await session.request(post)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(store.events).toEqual([]);
});

test('a late writer changes nothing', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  world.sandbox.faults.add({
    platform: 'social',
    match: { path_prefix: '/oauth/token' },
    kind: 'delay',
    delay_ms: 400,
  });
  store.clock.advance(3_700);
  const slow = open(connection, store);
  await new Promise((resolve) => setTimeout(resolve, 100));
  // The account owner reconnects the account during the renewal.
  const again = await world.connect('maren-holt', store);
  await store.storeConnection(connection, again.credential, again.accessExpiresAt);
  const stored = (await store.findCredential(connection))?.sealed;
  const session = await slow;
  expect((await store.findCredential(connection))?.sealed).toBe(stored);
  expect((await store.findCredential(connection))?.generation).toBe(2);
  expect((await session.request(me)).ok).toBe(true);
});

test('a store that fails briefly after the renewal does not lose the login', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const before = refreshes('maren-holt');
  let failures = 2;
  store.database.ask = () => {
    if (refreshes('maren-holt') > before && failures-- > 0) throw new Error('connection lost');
  };
  store.clock.advance(3_700);
  expect((await (await open(connection, store)).request(me)).ok).toBe(true);
  expect((await store.findCredential(connection))?.generation).toBe(2);
});

test('a platform that returns no new refresh token keeps the old one valid', async () => {
  const store = createTestStore();
  world.sandbox.control.changeSettings({ refresh_tokens: 'fixed' });
  const connection = await world.connection('maren-holt', store);
  for (let generation = 2; generation < 4; generation++) {
    store.clock.advance(3_700);
    expect((await (await open(connection, store)).request(me)).ok).toBe(true);
    expect((await store.findCredential(connection))?.generation).toBe(generation);
  }
  world.sandbox.control.changeSettings({ refresh_tokens: 'rotating' });
});

test.each([
  ['500-before', 'read', 'platform.unavailable'],
  ['500-before', 'write', 'platform.outcome_unknown'],
  ['500-after', 'idempotent', 'platform.unavailable'],
  ['500-after', 'write', 'platform.outcome_unknown'],
  ['reset-after-effect', 'read', 'platform.unavailable'],
  ['reset-after-effect', 'write', 'platform.outcome_unknown'],
  ['2xx-truncated', 'write', 'platform.outcome_unknown'],
  ['huge', 'read', 'platform.invalid_response'],
  ['hang', 'write', 'platform.outcome_unknown'],
  ['429', 'write', 'platform.rate_limited'],
] as const)('%s to a %s is %s', async (kind, effect, code) => {
  const store = createTestStore();
  const session = await open(await world.connection('maren-holt', store), store);
  world.sandbox.faults.add({ platform: 'social', match: { path_prefix: '/api/' }, kind, retry_after: 7 });
  const answer = await session.request({ ...(effect === 'read' ? me : post), effect, deadlineSeconds: 1 });
  expect(answer).toMatchObject({ ok: false, failure: { code } });
  if (code === 'platform.rate_limited') expect(answer).toMatchObject({ failure: { retryAfterSeconds: 7 } });
});

test('a request with a token goes to no other host, by path or by absolute URL', async () => {
  const store = createTestStore();
  const session = await open(await world.connection('maren-holt', store), store);
  for (const path of ['https://evil.example/x', 'http://127.0.0.1:1/x', 'evil.example', '']) {
    expect(await session.request({ ...me, path })).toMatchObject({
      failure: { code: 'platform.address_refused' },
    });
  }
  const here = await session.request({ ...me, path: `${world.sandbox.url}/social/api/me` });
  expect(here.ok).toBe(true);
  expect((await session.request({ ...me, headers: { Authorization: 'Bearer mine' } })).ok).toBe(true);
});

test('sends query, form and bytes unchanged', async () => {
  const store = createTestStore();
  const session = await open(await world.connection('maren-holt', store), store);
  await session.request(post);
  await session.request(post);
  const query = { limit: 1, page_token: undefined, tag: ['a b', 'c'] };
  const listed = await session.request({ method: 'GET', path: '/social/api/posts', query, effect: 'read' });
  expect(listed).toMatchObject({ value: { ok: true, json: { data: [{ text: 'hello' }] } } });
  const form = await session.request({ ...post, json: undefined, form: { text: 'x' } });
  expect(form).toMatchObject({ value: { status: 415 } });
});

test('no token occurs in a failure, an event, an audit row or a sealed slot of another generation', async () => {
  const store = createTestStore();
  const connection = await world.connection('maren-holt', store);
  const session = await open(connection, store);
  world.sandbox.faults.add({ platform: 'social', match: {}, kind: 'reset-after-effect', times: 3 });
  const failures = [await session.request(me), await session.request(post)];
  world.sandbox.faults.clear();
  const sealed = Buffer.from((await store.findCredential(connection))?.sealed ?? [])
    .reverse()
    .toString();
  const [, credential] = JSON.parse(sealed) as [unknown, string];
  const { accessToken, refreshToken } = JSON.parse(credential) as {
    accessToken: string;
    refreshToken: string;
  };
  const seen = JSON.stringify([failures, store.events, store.audit, session]);
  expect(accessToken.length).toBeGreaterThan(10);
  expect(seen).not.toContain(accessToken);
  expect(seen).not.toContain(refreshToken);
});
