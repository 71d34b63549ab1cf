import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { catalog, type Operation } from '@switchboard/operations';
import { callOperation } from './support/call-operation.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText } from './support/json.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient, type RestResponse } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount, refundableOrders, type SandboxOrder } from './support/sandbox-store.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld, createPendingMedia, createReadKey, type TestWorld } from './support/test-world.js';

const DEAD_SOCIAL = 'lumen-coffee';
const DEAD_STORES = ['harbor-supply', 'kumo-paper'] as const;

let switchboard: Switchboard;
let operator: Operator;
let client: RestClient;
let world: TestWorld;
let sandbox: ReturnType<typeof sandboxControl>;
let orders: SandboxOrder[];
/** A profile whose accounts all need to be reconnected, with an order and a published post of one of them. */
let dead: { profile: string; social: string; store: string; order: string; post: string };
/** A profile without connections. */
let empty: string;

const createProfile = async (name: string) =>
  asText((await client.expect(201, 'POST', '/profiles', { body: { name } }))['id']);

beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'next_calls' });
  operator = await openOperator(switchboard);
  client = restClient(switchboard.url, switchboard.keys.full);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  world = await buildTestWorld(switchboard.url, switchboard.keys.full, {
    social: 'maren-holt',
    store: 'alder-oak',
  });
  orders = [...(await refundableOrders(client, world.store))].filter(({ id }) => id !== world.order).slice(1);
  empty = await createProfile('Empty');
  dead = await createDeadProfile();
});
afterEach(() => sandbox.clearFaults());
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

async function createDeadProfile() {
  const profile = await createProfile('Dead');
  const social = await connectAccount(client, 'sandbox_social', DEAD_SOCIAL, profile);
  const [store = '', other = ''] = [
    await connectAccount(client, 'sandbox_store', DEAD_STORES[0], profile),
    await connectAccount(client, 'sandbox_store', DEAD_STORES[1], profile),
  ];
  const [order] = await refundableOrders(client, store);
  const body = { profile_id: profile, targets: [{ connection_id: social }] };
  const post = await publish(body, { prefer: 'wait=30' });
  expect(post.json).toMatchObject({ status: 'published' });
  for (const account of [DEAD_SOCIAL, ...DEAD_STORES]) await sandbox.revokeGrants(account);
  for (const id of [social, store, other]) {
    await client.get(`/connections/${id}`, { query: { refresh: true } });
    const { status } = await client.expect(200, 'GET', `/connections/${id}`);
    expect(status).toBe('needs_reauth');
  }
  return { profile, social, store, order: asText(order?.id), post: asText(post.json['id']) };
}

const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  client.sendRequest(method, path, { headers, ...(body && { body }) });
const get = (path: string, query: Record<string, string> = {}) => client.get(path, { query });
const stale = { 'if-match': '"999"' };
const nextOrder = () => orders.shift() as SandboxOrder;
const refund = (order: SandboxOrder, body: object) =>
  send('POST', `/ecommerce/orders/${order.id}/refund`, body);
const quote = (order: string, body: object) => send('POST', `/ecommerce/orders/${order}/refund/quote`, body);

let texts = 0;
const publish = (body: object, headers = {}) =>
  send('POST', '/social/posts', { profile_id: world.profile, text: `Text ${++texts}`, ...body }, headers);
const editPublished = (id: string, by = client) =>
  by.sendRequest('PATCH', `/social/posts/${id}`, { body: { text: 'Edited', edit_published: true } });
const toSocial = () => ({ targets: [{ connection_id: world.social }] });
const createScheduledPost = async (more: object = {}) => {
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const post = await publish({ ...toSocial(), scheduled_at, ...more });
  return { id: asText(post.json['id']), text: asText(post.json['text']), scheduled_at };
};

/** A post whose publishing was interrupted and cannot be looked up yet. */
async function createUncertainPost(): Promise<string> {
  const path_prefix = '/api/posts';
  await sandbox.fault({
    platform: 'social',
    kind: 'reset-after-effect',
    match: { method: 'POST', path_prefix },
  });
  await sandbox.fault({
    platform: 'social',
    kind: '500-before',
    match: { method: 'GET', path_prefix },
    times: null,
  });
  const id = asText((await publish(toSocial())).json['id']);
  await eventually('the outcome is unknown', async () => {
    const { deliveries } = await client.expect(200, 'GET', `/social/posts/${id}`);
    return asObjects(deliveries)[0]?.['status'] === 'unknown' || null;
  });
  return id;
}

async function createUncertainRefund(order: SandboxOrder): Promise<void> {
  const path_prefix = `/api/orders/${order.externalId}`;
  await sandbox.fault({
    platform: 'store',
    kind: 'reset-after-effect',
    match: { method: 'POST', path_prefix },
  });
  const reads = { method: 'GET', path_prefix: `${path_prefix}/refunds` };
  await sandbox.fault({ platform: 'store', kind: '500-before', match: reads, times: null });
  expect(await refund(order, { amount: '1.00' })).toMatchObject({ json: { status: 'unknown' } });
}

async function createPendingRefund(order: SandboxOrder): Promise<void> {
  await sandbox.settings({ refund_settle_seconds: 3600 });
  expect(await refund(order, { amount: '1.00' })).toMatchObject({ json: { status: 'pending' } });
  await sandbox.settings({ refund_settle_seconds: 0 });
}

async function refundWithCeiling(currency: string, order: SandboxOrder): Promise<RestResponse> {
  const refund_ceilings = [{ currency, per_refund: '1.00', per_day: '2.00' }];
  const body = { name: 'limited', scopes: ['orders:read', 'refunds:write'], policy: { refund_ceilings } };
  const { secret } = await client.expect(201, 'POST', '/keys', { body });
  return restClient(switchboard.url, asText(secret)).post(`/ecommerce/orders/${order.id}/refund`, {
    amount: '1.50',
  });
}

const app = { client_id: 'a', client_secret: 'not a real one' };

/** A refusal of `code` from this module of the domain, whose `next` is this operation. */
type Refusal = readonly [source: string, code: string, next: string, refused: () => Promise<RestResponse>];

const refusals: readonly Refusal[] = [
  [
    'access/rotate-key',
    'key.ended',
    'listKeys',
    async () => {
      const id = await createReadKey(client);
      await send('DELETE', `/keys/${id}`);
      return send('POST', `/keys/${id}/rotate`, { overlap_seconds: 0 });
    },
  ],
  [
    'clients/create-invitation',
    'key.ended',
    'listKeys',
    async () => {
      const id = await createReadKey(client);
      await send('DELETE', `/keys/${id}`);
      return send('POST', `/keys/${id}/invitations`);
    },
  ],
  [
    'access/update-key',
    'key.rotated',
    'getKey',
    async () => {
      const id = await createReadKey(client);
      await send('POST', `/keys/${id}/rotate`, { overlap_seconds: 3600 });
      return send('PATCH', `/keys/${id}`, { policy: { expires_at: null } });
    },
  ],
  [
    'webhooks/update-webhook',
    'request.precondition_failed',
    'getWebhook',
    () => send('PATCH', `/webhooks/${world.webhook}`, { description: 'Changed' }, stale),
  ],
  [
    'webhooks/delete-webhook',
    'request.precondition_failed',
    'getWebhook',
    () => send('DELETE', `/webhooks/${world.webhook}`, undefined, stale),
  ],
  [
    'webhooks/redeliver-webhook-delivery',
    'webhook.disabled',
    'updateWebhook',
    () => send('POST', `/webhooks/${world.webhook}/deliveries/${world.webhookDelivery}/redeliver`),
  ],
  [
    'webhooks/create-webhook',
    'webhook.limit_reached',
    'listWebhooks',
    async () => {
      for (let created = 0; created <= 100; created++) {
        const webhook = { url: world.webhookUrl, events: ['key.*'], disabled: true };
        const response = await send('POST', '/webhooks', webhook);
        if (response.status !== 201) return response;
      }
      throw new Error('the number of webhooks is not limited');
    },
  ],
  [
    'connections/disconnect',
    'request.precondition_failed',
    'getConnection',
    () => send('DELETE', `/connections/${world.social}`, undefined, stale),
  ],
  [
    'connections/update-connection',
    'connection.exists',
    'getConnection',
    async () => {
      const profile = await createProfile('Twin');
      const twin = await connectAccount(client, 'sandbox_social', 'tidal-museum', profile);
      const other = await createProfile('Other twin');
      await connectAccount(client, 'sandbox_social', 'tidal-museum', other);
      return send('PATCH', `/connections/${twin}`, { profile_id: other });
    },
  ],
  [
    'connections/needs-reauth',
    'connection.needs_reauth',
    'startConnect',
    () => get(`/connections/${dead.social}/publishing`),
  ],
  [
    'connections/start-connect',
    'platform.not_configured',
    'getPlatform',
    () => send('POST', '/connect/url', { platform: 'x', profile_id: empty }),
  ],
  [
    'connections/start-connect',
    'platform.not_configured',
    'listPlatforms',
    () => send('POST', '/connect/url', { platforms: ['x', 'linkedin'], profile_id: empty }),
  ],
  [
    'profiles/resolve-profile',
    'connect.profile_required',
    'listProfiles',
    () => send('POST', '/connect/url', { platform: 'sandbox_social' }),
  ],
  [
    'deliveries/resolve-delivery',
    'delivery.settled',
    'getPost',
    () =>
      send('POST', `/social/posts/${world.post}/deliveries/${world.delivery}/resolve`, {
        outcome: 'not_published',
        note: 'Seen nowhere.',
      }),
  ],
  [
    'deliveries/retry-post',
    'post.already_published',
    'getPost',
    () => send('POST', `/social/posts/${world.post}/retry`),
  ],
  [
    'deliveries/retry-post',
    'post.outcome_unknown',
    'recheckDelivery',
    async () => send('POST', `/social/posts/${await createUncertainPost()}/retry`),
  ],
  [
    'deliveries/unpublish-post',
    'post.unpublish_unsupported',
    'getPost',
    async () => send('POST', `/social/posts/${(await createScheduledPost()).id}/unpublish`),
  ],
  ['failure', 'platform.not_found', 'listPlatforms', () => get('/platforms/none')],
  ['failure', 'profile.not_found', 'listProfiles', () => get('/profiles/none')],
  ['failure', 'connection.not_found', 'listConnections', () => get('/connections/none')],
  ['failure', 'post.not_found', 'listPosts', () => get('/social/posts/none')],
  [
    'failure',
    'delivery.not_found',
    'listPosts',
    () => send('POST', `/social/posts/${world.post}/deliveries/none/recheck`),
  ],
  ['failure', 'attention_item.not_found', 'listAttention', () => send('POST', '/attention/none/dismiss')],
  ['failure', 'media.not_found', 'listMedia', () => get('/social/media/none')],
  ['failure', 'order.not_found', 'listOrders', () => get('/ecommerce/orders/none')],
  [
    'failure',
    'quote.not_found',
    'listOrders',
    () => send('POST', `/ecommerce/orders/${world.order}/refund`, { quote_id: 'none' }),
  ],
  ['failure', 'refund.not_found', 'listRefunds', () => get('/ecommerce/refunds/none')],
  ['failure', 'key.not_found', 'listKeys', () => get('/keys/none')],
  [
    'media/delete-media',
    'media.in_use',
    'listPosts',
    async () => {
      const media_id = await createPendingMedia(client);
      await createScheduledPost({ media: [{ media_id }] });
      return send('DELETE', `/social/media/${media_id}`);
    },
  ],
  [
    'orders/merge-store-results',
    'orders.all_sources_failed',
    'startConnect',
    () => get('/ecommerce/orders', { connection_id: dead.store }),
  ],
  [
    'orders/merge-store-results',
    'orders.all_sources_failed',
    'listConnections',
    () => get('/ecommerce/orders', { profile_id: dead.profile }),
  ],
  [
    'platforms/delete-platform-app',
    'platform_app.not_found',
    'getPlatformApp',
    () => send('DELETE', '/platforms/sandbox_store/app'),
  ],
  [
    'platforms/delete-platform-app',
    'platform_app.not_found',
    'getPlatform',
    () => send('DELETE', '/platforms/x/app'),
  ],
  ['platforms/get-platform-app', 'platform_app.not_found', 'getPlatform', () => get('/platforms/x/app')],
  [
    'platforms/resolve-app-location',
    'platform.app_unsupported',
    'getPlatform',
    () => get('/platforms/bluesky/app'),
  ],
  [
    'platforms/update-platform-app',
    'request.precondition_failed',
    'getPlatformApp',
    async () => {
      const path = '/platforms/sandbox_store/app';
      await send('PUT', path, { ...app, profile_id: empty });
      return send('PUT', path, { ...app, profile_id: empty }, stale);
    },
  ],
  [
    'platforms/update-platform-app',
    'request.precondition_failed',
    'getPlatform',
    () => send('PUT', '/platforms/x/app', app, stale),
  ],
  [
    'posts/cancel-post',
    'post.already_published',
    'getPost',
    () => send('POST', `/social/posts/${world.post}/cancel`),
  ],
  [
    'posts/find-targets',
    'post.no_targets',
    'startConnect',
    () => publish({ profile_id: empty, targets: [{ platform: 'sandbox_social' }] }),
  ],
  [
    'posts/find-targets',
    'post.no_targets',
    'startConnect',
    () => publish({ profile_id: empty, targets: 'all' }),
  ],
  [
    'posts/find-targets',
    'post.no_targets',
    'startConnect',
    () => publish({ profile_id: dead.profile, targets: 'all' }),
  ],
  [
    'posts/find-targets',
    'post.target_ambiguous',
    'listConnections',
    async () => {
      const profile_id = await createProfile('Ambiguous');
      await connectAccount(client, 'sandbox_social', 'maren-holt', profile_id);
      await connectAccount(client, 'sandbox_social', 'tidal-museum', profile_id);
      return publish({ profile_id, targets: [{ platform: 'sandbox_social' }] });
    },
  ],
  [
    'posts/find-targets',
    'post.profile_required',
    'listProfiles',
    () => send('POST', '/social/posts', { text: 'Whose?', targets: 'all' }),
  ],
  [
    'posts/get-publishing-options',
    'post.no_targets',
    'listConnections',
    () => get(`/connections/${world.store}/publishing`),
  ],
  [
    'posts/guard-duplicates',
    'post.possible_duplicate',
    'getPost',
    async () => {
      const { text, scheduled_at } = await createScheduledPost();
      return publish({ ...toSocial(), text, scheduled_at });
    },
  ],
  [
    'posts/prepare-post',
    'post.invalid',
    'startConnect',
    () => publish({ profile_id: dead.profile, targets: [{ connection_id: dead.social }] }),
  ],
  [
    'posts/prepare-post',
    'post.invalid',
    'getPublishingOptions',
    () => publish({ targets: [{ connection_id: world.social, options: { no_such: true } }] }),
  ],
  [
    'posts/update-post',
    'post.already_published',
    'getPost',
    () => send('PATCH', `/social/posts/${world.post}`, { text: 'Too late' }),
  ],
  [
    'posts/edit-published',
    'approval.required',
    'getPost',
    async () => {
      const policy = { approval: { posts: 'always', refundsOver: [], expiresInHours: 24 } } as const;
      const { token } = await operator.createKey({ scopes: ['posts:read', 'posts:write'], policy });
      return editPublished(world.post, restClient(switchboard.url, token));
    },
  ],
  ['posts/edit-published', 'post.invalid', 'startConnect', () => editPublished(dead.post)],
  [
    'profiles/delete-profile',
    'profile.is_default',
    'listProfiles',
    () => send('DELETE', `/profiles/${world.profile}`),
  ],
  [
    'profiles/delete-profile',
    'profile.in_use',
    'listConnections',
    () => send('DELETE', `/profiles/${dead.profile}`),
  ],
  [
    'profiles/delete-profile',
    'request.precondition_failed',
    'getProfile',
    () => send('DELETE', `/profiles/${empty}`, undefined, stale),
  ],
  [
    'pauses/pause-profile',
    'request.precondition_failed',
    'getProfile',
    () => send('POST', `/profiles/${empty}/pause`, {}, stale),
  ],
  [
    'posts/schedule-by-queue',
    'post.queue_empty',
    'getQueue',
    () => send('POST', '/social/posts', { text: 'Queued', queue: 'next', profile_id: empty }),
  ],
  [
    'posts/update-queue',
    'request.precondition_failed',
    'getQueue',
    () => send('PUT', `/profiles/${empty}/queue`, { slots: [] }, stale),
  ],
  [
    'posts/update-queue',
    'post.queue_empty',
    'getQueue',
    async () => {
      const path = `/profiles/${world.profile}/queue`;
      await client.expect(200, 'PUT', path, { body: { slots: [{ weekday: 'monday', time: '09:00' }] } });
      const body = { profile_id: world.profile, text: 'Queued', queue: 'next' };
      await client.expect(201, 'POST', '/social/posts', { body });
      return send('PUT', path, { slots: [], reassign: true });
    },
  ],
  [
    'profiles/update-profile',
    'request.precondition_failed',
    'getProfile',
    () => send('PATCH', `/profiles/${empty}`, { name: 'Stale' }, stale),
  ],
  [
    'refunds/prepare-refund',
    'quote.changed',
    'quoteRefund',
    async () => {
      const order = nextOrder();
      const quoted = await quote(order.id, { amount: '1.00', reason: 'damaged' });
      expect(await refund(order, { amount: '2.00' })).toMatchObject({ json: { status: 'succeeded' } });
      return refund(order, { quote_id: quoted.json['id'] });
    },
  ],
  [
    'refunds/refund-order',
    'refund.refused',
    'getOrder',
    async () => {
      const order = nextOrder();
      const { json } = await quote(order.id, { amount: '1.00' });
      await sandbox.settings({ refund_settle_seconds: 1, refund_settle_outcome: 'failed' });
      const pending = await refund(order, { quote_id: json['id'] });
      await sandbox.settings({ refund_settle_seconds: 0, refund_settle_outcome: 'succeeded' });
      const at = `/ecommerce/refunds/${asText(pending.json['id'])}`;
      await client.expect(200, 'GET', at, { headers: { prefer: 'wait=20' } });
      return refund(order, { quote_id: json['id'] });
    },
  ],
  [
    'refunds/refuse-in-flight',
    'refund.in_progress',
    'getRefund',
    async () => {
      const order = nextOrder();
      await createPendingRefund(order);
      return refund(order, { amount: '2.00' });
    },
  ],
  [
    'refunds/refuse-in-flight',
    'refund.in_doubt',
    'recheckRefund',
    async () => {
      const order = nextOrder();
      await createUncertainRefund(order);
      return refund(order, { amount: '2.00' });
    },
  ],
  [
    'refunds/reserve-refund',
    'refund.possible_duplicate',
    'getRefund',
    async () => {
      const order = nextOrder();
      await refund(order, { amount: '1.00' });
      return refund(order, { amount: '1.00' });
    },
  ],
  [
    'refunds/reserve-refund',
    'key.refund_ceiling_exceeded',
    'getMe',
    () => refundWithCeiling('USD', nextOrder()),
  ],
  [
    'refunds/with-next-step',
    'key.refund_ceiling_exceeded',
    'quoteRefund',
    () => refundWithCeiling('EUR', nextOrder()),
  ],
  [
    'refunds/resolve-refund',
    'refund.settled',
    'getRefund',
    () => send('POST', `/ecommerce/refunds/${world.refund}/resolve`, { outcome: 'failed' }),
  ],
  [
    'refunds/with-next-step',
    'refund.exceeds_refundable',
    'quoteRefund',
    () => quote(world.order, { amount: '999999.00' }),
  ],
  [
    'refunds/with-next-step',
    'refund.unsupported_option',
    'getPlatform',
    async () => {
      const { line_items: lines } = await client.expect(200, 'GET', `/ecommerce/orders/${world.order}`);
      const line = { id: asObjects(lines)[0]?.['id'], quantity: 1, restock: true, location_id: 'none' };
      return quote(world.order, { line_items: [line] });
    },
  ],
  [
    'refunds/with-next-step',
    'refund.currency_mismatch',
    'getOrder',
    () => quote(world.order, { amount: { amount: '1.00', currency: 'JPY' } }),
  ],
  [
    'workspaces/update-workspace',
    'request.precondition_failed',
    'getWorkspace',
    () => send('PATCH', '/workspace', { display_name: 'Stale' }, stale),
  ],
];

/** Executes the call exactly as given. */
async function follow(next: unknown, by: Pick<RestClient, 'sendRequest'> = client): Promise<RestResponse> {
  const { operation: name, arguments: given } = asObject(next);
  const operation = catalog.find((one) => one.name === name) as Operation;
  return callOperation(by, operation, asObject(given));
}

const statusOf = (name: string) => catalog.find((one) => one.name === name)?.http.status;

test.each(refusals)(
  '%s: %s leads to %s, which succeeds as given',
  async (_source, code, operation, refused) => {
    const { status, json } = await refused();
    expect([status >= 400, json]).toMatchObject([true, { code, next: { operation } }]);
    await sandbox.clearFaults();
    const followed = await follow(json['next']);
    expect([followed.status, followed.text]).toEqual([statusOf(operation), expect.any(String)]);
  },
);

test('a rejected cursor leads to the same list from its beginning', async () => {
  const { json } = await get('/social/posts', { cursor: 'nonsense', limit: '1' });
  expect(json).toMatchObject({
    code: 'request.invalid_cursor',
    next: { operation: 'listPosts', arguments: { limit: 1 } },
  });
  expect(await follow(json['next'])).toMatchObject({ status: 200 });
});

test('a key that may not make the next call is not given it', async () => {
  const { token } = await operator.createKey({ scopes: ['posts:read'] });
  const reader = restClient(switchboard.url, token);
  const refused = await reader.get('/connections/none/publishing');
  expect(refused.json).toMatchObject({ code: 'connection.not_found' });
  expect(refused.json).not.toHaveProperty('next');
  const allowed = await reader.get('/social/posts/none');
  expect(await follow(allowed.json['next'], reader)).toMatchObject({ status: 200 });
});

/** Modules that name calls, but in an item or an event and not in a refusal. */
const withoutRefusal = [
  'attention/list-attention',
  'connections/update-connection-health',
  'next-call',
  'webhooks/settle-attempts',
];

test('every refusal of the domain with a next call is in the table', async () => {
  const root = fileURLToPath(new URL('../../domain/src', import.meta.url));
  const files = (await readdir(root, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const named = new Set<string>();
  for (const file of files) {
    const source = file.replace(/\.ts$/, '');
    if (withoutRefusal.includes(source)) continue;
    const text = (await readFile(join(root, file), 'utf8')).replace(/fallback(:| =) nextCall\.\w+/g, '');
    for (const [, operation] of text.matchAll(/nextCall\.(\w+)\(/g)) named.add(`${source} ${operation}`);
  }
  const listed = new Set(refusals.map(([source, , next]) => `${source} ${next}`));
  expect([...named].filter((one) => !listed.has(one))).toEqual([]);
});
