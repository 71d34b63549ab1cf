import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { connectAccount, formatEuro, refundableOrders, type SandboxOrder } from './support/sandbox-store.js';
import { eventually } from './support/eventually.js';
import { queryRows } from './support/database.js';
import { asObjects, asText } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';

const STORE = 'harbor-supply';

let switchboard: SwitchboardWithReplicas;
let client: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;
let social: string;
let orders: SandboxOrder[];
beforeAll(async () => {
  switchboard = await serveWithReplicas({ name: 'idempotency' });
  client = restClient(switchboard.url, switchboard.keys.full);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  social = await connectAccount(client, 'sandbox_social', 'tidal-museum');
  const store = await connectAccount(client, 'sandbox_store', STORE);
  orders = [...(await refundableOrders(client, store))];
});
afterEach(() => sandbox.clearFaults());
afterAll(() => switchboard?.stop());

const nextOrder = () => orders.shift() as SandboxOrder;
const withIdempotencyKey = (key: string) => ({ 'Idempotency-Key': key });
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');
const effects = (effect: 'post.created' | 'refund.created', account: string) =>
  sandbox.ledger(effect, account);

test.each([
  ['/profiles', { name: 'Once', metadata: { tier: 'gold' } }],
  ['/connect/url', { platform: 'sandbox_social' }],
])('repeats its response byte for byte: POST %s', async (path, body) => {
  const input = path === '/connect/url' ? { ...body, profile_id: await profileId() } : body;
  const first = await client.post(path, input, withIdempotencyKey(`replay ${path}`));
  const again = await client.post(path, input, withIdempotencyKey(`replay ${path}`));
  // The same fields in another order are the same request.
  const reordered = Object.fromEntries(Object.entries(input).reverse());
  const shuffled = await client.post(path, reordered, withIdempotencyKey(`replay ${path}`));
  expect(first.status).toBe(201);
  expect(replayed(first)).toBeNull();
  for (const answer of [again, shuffled]) {
    expect(answer).toMatchObject({ status: 201, text: first.text });
    expect(replayed(answer)).toBe('true');
    expect(answer.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(answer.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  }
});

const profileId = async () =>
  asText(
    asObjects((await client.expect(200, 'GET', '/profiles')).data).find(({ name }) => name === 'default')?.[
      'id'
    ],
  );

test('rejects a key that was used for a different request, and does nothing', async () => {
  await client.post('/profiles', { name: 'First' }, withIdempotencyKey('reused'));
  const before = await client.expect(200, 'GET', '/profiles');
  expect(await client.post('/profiles', { name: 'Second' }, withIdempotencyKey('reused'))).toMatchObject({
    status: 422,
    json: { code: 'idempotency.key_reused', effect: 'none', retryable: false },
  });
  expect(await client.expect(200, 'GET', '/profiles')).toEqual(before);
});

test('the same key for another operation, or from another key lineage, is a different request', async () => {
  const first = await client.post('/profiles', { name: 'Mine' }, withIdempotencyKey('shared'));
  const other = restClient(switchboard.url, switchboard.keys.agent);
  const theirs = await other.post('/profiles', { name: 'Mine' }, withIdempotencyKey('shared'));
  const connect = await client.post(
    '/connect/url',
    { platform: 'sandbox_social', profile_id: await profileId() },
    withIdempotencyKey('shared'),
  );
  for (const answer of [first, theirs, connect]) {
    expect(answer.status).toBe(201);
    expect(replayed(answer)).toBeNull();
  }
  expect(theirs.json['id']).not.toBe(first.json['id']);
});

test.each(['', 'x'.repeat(256), 'schön'])('rejects %j as a key, and does nothing', async (key) => {
  const answer = await client.post('/profiles', { name: 'Never' }, withIdempotencyKey(key));
  expect(answer).toMatchObject({ status: 400, json: { code: 'request.invalid' } });
  const { data } = await client.expect(200, 'GET', '/profiles', { query: { limit: 100 } });
  expect(asObjects(data).filter(({ name }) => name === 'Never')).toEqual([]);
});

test('twenty concurrent requests create one object: the others are asked to retry or get the same response', async () => {
  const sendRequest = () => client.post('/profiles', { name: 'At once' }, withIdempotencyKey('at-once'));
  const answers = await Promise.all(Array.from({ length: 20 }, sendRequest));
  for (const { status, json, headers } of answers) {
    if (status === 201) continue;
    expect([status, json['code'], headers.get('retry-after')]).toEqual([409, 'idempotency.in_progress', '1']);
  }
  expect(new Set(answers.filter(({ status }) => status === 201).map((one) => one.text)).size).toBe(1);
  const { data } = await client.expect(200, 'GET', '/profiles', { query: { limit: 100 } });
  expect(asObjects(data).filter(({ name }) => name === 'At once')).toHaveLength(1);
});

test('a request in progress is not started again', async () => {
  const order = nextOrder();
  await sandbox.fault({
    platform: 'store',
    kind: 'delay',
    match: { method: 'POST', path_prefix: `/api/orders/${order.externalId}` },
    delay_ms: 1500,
  });
  const path = `/ecommerce/orders/${order.id}/refund`;
  const first = client.post(path, { full: true }, withIdempotencyKey('slow'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const second = await client.post(path, { full: true }, withIdempotencyKey('slow'));
  expect(second).toMatchObject({
    status: 409,
    json: { code: 'idempotency.in_progress', retryable: true, retry_after_seconds: 1 },
  });
  const answered = await first;
  expect(answered).toMatchObject({ status: 201, json: { status: 'succeeded' } });
  expect((await client.post(path, { full: true }, withIdempotencyKey('slow'))).text).toBe(answered.text);
});

test('the replay of a refund request waits if it is asked to, and returns the current state (finding 44)', async () => {
  const order = nextOrder();
  const path = `/ecommerce/orders/${order.id}/refund`;
  const quote = await client.post(`${path}/quote`, { amount: '1.00' });
  const body = { quote_id: quote.json['id'] };
  const key = withIdempotencyKey('settles later');
  const waiting = { prefer: 'wait=20' };
  await sandbox.settings({ refund_settle_seconds: 1 });
  const first = await client.post(path, body, key);
  await sandbox.settings({ refund_settle_seconds: 0 });
  expect(first).toMatchObject({ status: 201, json: { status: 'pending' } });
  const settled = { status: 201, json: { id: first.json['id'], status: 'succeeded' } };
  // By the idempotency key, by the quote alone, and again once it has settled.
  for (const headers of [{ ...key, ...waiting }, waiting, { ...key, ...waiting }]) {
    const again = await client.post(path, body, headers);
    expect(again).toMatchObject(settled);
    expect([replayed(again), again.headers.get('preference-applied')]).toEqual(['true', 'wait=20']);
  }
  const unhurried = await client.post(path, body, key);
  expect([unhurried.text, unhurried.headers.get('preference-applied')]).toEqual([first.text, null]);
});

test('a PATCH that changes nothing keeps the entity tag and the resource', async () => {
  const scheduled = {
    profile_id: await profileId(),
    text: 'Unchanged',
    targets: [{ connection_id: social }],
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    metadata: { campaign: 'spring', city: 'Vigo' },
  };
  const post = await client.post('/social/posts', scheduled);
  const created = await client.post('/keys', { name: 'unchanged', scopes: ['posts:read'] });
  const { profile_id: _, ...sameAsPost } = scheduled;
  const edits: readonly (readonly [path: string, edit: object])[] = [
    [`/profiles/${scheduled.profile_id}`, { timezone: 'Europe/Madrid', metadata: { b: '2', a: '1' } }],
    [`/connections/${social}`, { label: 'Museum', metadata: { b: '2', a: '1' } }],
    [`/social/posts/${asText(post.json['id'])}`, sameAsPost],
    [`/keys/${asText(created.json['id'])}`, { name: 'unchanged', policy: { hide_personal_data: false } }],
    ['/workspace', { display_name: 'Tidal', return_urls: ['https://tidal.example/back'] }],
  ];
  for (const [path, edit] of edits) {
    const before = await client.sendRequest('PATCH', path, { body: edit });
    const etag = before.headers.get('etag') ?? '';
    for (const body of [edit, {}]) {
      const after = await client.sendRequest('PATCH', path, { body, headers: { 'if-match': etag } });
      expect([path, after.status, after.headers.get('etag'), after.text]).toEqual([
        path,
        200,
        etag,
        before.text,
      ]);
    }
    const read = await client.get(path);
    expect([read.headers.get('etag'), read.text]).toEqual([etag, before.text]);
  }
});

test('a rejection without changes is not stored: once the cause is fixed, the same request succeeds', async () => {
  const order = nextOrder();
  const path = `/ecommerce/orders/${order.id}/refund`;
  const shape = await client.post('/profiles', { name: 7 }, withIdempotencyKey('refused-shape'));
  expect(shape.status).toBe(400);
  expect(
    (await client.post('/profiles', { name: 'Now right' }, withIdempotencyKey('refused-shape'))).status,
  ).toBe(201);

  await sandbox.fault({
    platform: 'store',
    kind: '429',
    match: { path_prefix: `/api/orders/${order.externalId}` },
    times: null,
    retry_after: 1,
  });
  const refused = await client.post(path, { full: true }, withIdempotencyKey('refused-for-now'));
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(refused.json['effect']).toBe('none');
  await sandbox.clearFaults();
  const passed = await client.post(path, { full: true }, withIdempotencyKey('refused-for-now'));
  expect(passed).toMatchObject({ status: 201, json: { status: 'succeeded' } });
  expect(replayed(passed)).toBeNull();
});

test('stores no response in plain text: stored responses are sealed', async () => {
  const name = 'Plainly readable name';
  const made = await client.post('/profiles', { name }, withIdempotencyKey('sealed'));
  const rows = await queryRows<{ line: string; body: Buffer }>(
    switchboard.databaseUrl,
    `SELECT t::text AS line, sealed_body AS body FROM idempotency_keys t WHERE key = 'sealed'`,
  );
  expect(rows).toHaveLength(1);
  for (const readable of [name, asText(made.json['id'])]) {
    expect(rows[0]?.line).not.toContain(readable);
    expect(rows[0]?.body.includes(readable)).toBe(false);
  }
});

test('a request whose process was killed is resumed and takes effect once', async () => {
  const order = nextOrder();
  const path = `/ecommerce/orders/${order.id}/refund`;
  const part = { amount: formatEuro(Math.floor(order.capturedMinor / 2)) };
  await sandbox.fault({
    platform: 'store',
    kind: 'delay',
    match: { method: 'POST', path_prefix: `/api/orders/${order.externalId}` },
    delay_ms: 2000,
  });
  // The platform must survive the process, so the request runs in another process.
  const replica = await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http' });
  const asked = restClient(replica.url, switchboard.keys.full)
    .post(path, part, withIdempotencyKey('died'))
    .then(
      () => 'answered',
      () => 'cut off',
    );
  await eventually('the refund is being sent', async () => {
    const [row] = await queryRows<{ sent: boolean }>(
      switchboard.databaseUrl,
      `SELECT sent_at IS NOT NULL AS sent FROM refunds WHERE idempotency_key = 'died'`,
    );
    return row?.sent ? true : null;
  });
  // The request has reached the store, which has not acted on it yet.
  await new Promise((resolve) => setTimeout(resolve, 500));
  replica.server.kill('SIGKILL');
  expect(await asked).toBe('cut off');
  const countCreated = async () =>
    (await effects('refund.created', STORE)).filter((one) => one['order_id'] === order.externalId);
  await eventually('the store has refunded', async () => ((await countCreated()).length > 0 ? true : null));

  const early = await client.post(path, part, withIdempotencyKey('died'));
  expect([early.status, early.json['code']]).toEqual([409, 'idempotency.in_progress']);
  // Simulates the expiry of the killed process's leases.
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE idempotency_keys SET lease_until = now() WHERE key = 'died'`,
  );
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE refunds SET lease_until = now(), next_attempt_at = NULL WHERE idempotency_key = 'died'`,
  );
  const again = await client.post(path, part, withIdempotencyKey('died'));
  expect(again).toMatchObject({ status: 201, json: { status: 'succeeded', money_moved: true } });
  expect((await countCreated()).map(({ id }) => id)).toEqual([again.json['external_id']]);
  expect((await client.post(path, part, withIdempotencyKey('died'))).text).toBe(again.text);
});

test('a post that was requested twice with one key is published once', async () => {
  const body = {
    profile_id: await profileId(),
    text: 'Asked for twice',
    targets: [{ connection_id: social }],
  };
  const prefer = { Prefer: 'wait=20' };
  const first = await client.post('/social/posts', body, { ...withIdempotencyKey('post'), ...prefer });
  expect(first).toMatchObject({ status: 201, json: { status: 'published' } });
  const again = await client.post('/social/posts', body, withIdempotencyKey('post'));
  expect([replayed(again), again.text]).toEqual(['true', first.text]);
  expect(await effects('post.created', 'tidal-museum')).toHaveLength(1);
});
