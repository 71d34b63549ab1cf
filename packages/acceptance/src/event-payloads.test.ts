import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventTypes, type EventType } from '@switchboard/domain/events';
import { connectSandbox } from './support/connect-sandbox.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { createEventValidator } from './support/find-invalid-events.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount, refundableOrders } from './support/sandbox-store.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver.js';

/** Every type of event is provoked once, and compared with its documented payload. */
let receiver: WebhookReceiver;
let switchboard: Switchboard;
let client: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  switchboard = await serveSwitchboard({
    name: 'event_payloads',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: receiver.host },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
  sandbox = sandboxControl(switchboard.sandboxUrl);
});
afterAll(async () => {
  await switchboard?.stop();
  await receiver?.close();
});

const PATH = '/api/posts';
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const create = (path: string, body: object, query = {}) => client.expect(201, 'POST', path, { body, query });

async function provokeKeys(): Promise<void> {
  const { id } = await create('/keys', { name: 'Provoked', scopes: ['posts:read'] });
  await client.expect(201, 'POST', `/keys/${asText(id)}/rotate`, { body: { overlap_seconds: 0 } });
  await client.expect(204, 'DELETE', `/keys/${asText(id)}`);
}

/** Degraded and restored by a permission, needing reauthorization and restored by a new login, disconnected. */
async function provokeConnections(): Promise<void> {
  const account = 'lumen-coffee';
  const id = await connectAccount(client, 'sandbox_social', account);
  await publish(id, 'Is not permitted', { kind: '403', method: 'POST' });
  await eventually('it is degraded', async () => {
    const { status } = await client.expect(200, 'GET', `/connections/${id}`);
    return status === 'degraded' || null;
  });
  await sandbox.revokeGrants(account);
  await client.get(`/connections/${id}`, { query: { refresh: true } });
  const { url } = await create('/connect/url', { connection_id: id });
  await connectSandbox(asText(url), { account });
  expect(await client.expect(200, 'GET', `/connections/${id}`)).toMatchObject({ status: 'active' });
  await client.expect(204, 'DELETE', `/connections/${id}`);
}

type FaultKind = Parameters<typeof sandbox.fault>[0]['kind'];

interface PostFault {
  readonly kind: FaultKind;
  readonly method: 'POST';
  readonly account?: string;
}

async function settled(id: string): Promise<JsonObject> {
  return eventually(`${id} is settled`, async () => {
    const post = await client.expect(200, 'GET', `/social/posts/${id}`);
    return ['scheduled', 'publishing'].includes(asText(post['status'])) ? null : post;
  });
}

/** A post on one or more accounts, of which the platform refuses or loses some. */
async function publish(
  connections: string | readonly string[],
  text: string,
  { kind, ...match }: Partial<PostFault> = {},
  more: object = {},
): Promise<string> {
  if (kind)
    await sandbox.fault({ platform: 'social', kind, match: { ...match, body: text, path_prefix: PATH } });
  const targets = [connections].flat().map((connection_id) => ({ connection_id }));
  const id = asText((await create('/social/posts', { text, targets, ...more }))['id']);
  await settled(id);
  return id;
}

/** Its author deletes the post, which was published long enough ago for its absence to count. */
async function removeAtPlatform(id: string): Promise<void> {
  const { deliveries } = await client.expect(200, 'GET', `/social/posts/${id}`);
  for (const { external_id } of asObjects(deliveries)) await sandbox.deletePost(asText(external_id));
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE deliveries SET published_at = published_at - interval '1 hour' WHERE post_id = '${id}'`,
  );
  await client.expect(200, 'GET', `/social/posts/${id}`, { query: { refresh: true } });
}

async function provokePosts(): Promise<void> {
  const readable = await connectAccount(client, 'sandbox_social', 'maren-holt');
  const unreadable = await connectAccount(client, 'sandbox_social', 'tidal-museum');
  const both = [readable, unreadable];
  const published = await publish(both, 'Is published and deleted');
  await client.expect(200, 'POST', `/social/posts/${published}/unpublish`);
  const removed = await publish(readable, 'Is removed by its author');
  await removeAtPlatform(removed);
  await publish(both, 'Is refused', { kind: '403', method: 'POST' });
  await publish(both, 'Is refused by one', { kind: '403', method: 'POST', account: 'tidal-museum' });
  const dueMs = Date.now() + 1000;
  const missed = {
    scheduled_at: new Date(dueMs).toISOString(),
    not_after: new Date(dueMs + 1).toISOString(),
  };
  await publish(readable, 'Is missed', {}, missed);
  const scheduled = {
    text: 'Is changed and cancelled',
    targets: both.map((connection_id) => ({ connection_id })),
    scheduled_at: later(86_400_000),
  };
  const path = `/social/posts/${asText((await create('/social/posts', scheduled))['id'])}`;
  await client.expect(200, 'PATCH', path, { body: { scheduled_at: later(90_000_000) } });
  await client.expect(200, 'POST', `${path}/cancel`);
  const match = { method: 'GET', path_prefix: PATH, account: 'tidal-museum' };
  await sandbox.fault({ platform: 'social', kind: '403', times: null, match });
  await publish(unreadable, 'Is lost', { kind: 'reset-after-effect', method: 'POST' });
  await sandbox.clearFaults();
}

async function provokeApprovals(): Promise<void> {
  const policy = { approval: { posts: 'always' } };
  const made = await create('/keys', { name: 'Asks first', scopes: ['posts:write'], policy });
  const agent = restClient(switchboard.url, asText(made['secret']));
  const account = await connectAccount(client, 'sandbox_social', 'maren-holt');
  const body = { text: 'Is approved', targets: [{ connection_id: account }] };
  const post = await agent.expect(201, 'POST', '/social/posts', { body });
  const { id } = post['approval'] as JsonObject;
  await client.expect(200, 'POST', `/approvals/${asText(id)}/approve`, { body: {} });
  await settled(asText(post['id']));
}

async function provokeMedia(): Promise<void> {
  const { id } = await create('/social/media', { url: `${switchboard.sandboxUrl}/nothing.png` });
  await eventually('it has failed', async () => {
    const { status } = await client.expect(200, 'GET', `/social/media/${asText(id)}`);
    return status === 'failed' || null;
  });
}

/** Every known order is new to a store that is watched from before; a refund changes one. */
async function provokeOrders(): Promise<void> {
  const store = await connectAccount(client, 'sandbox_store', 'alder-oak');
  const watch = (since: string) =>
    client.expect(200, 'PATCH', `/connections/${store}`, {
      body: { watch_orders: true, watch_orders_since: since },
    });
  const isReported = (type: string) =>
    eventually(`${type} is reported`, async () => {
      const { data } = await client.expect(200, 'GET', '/events', { query: { type } });
      return asObjects(data).length > 0 || null;
    });
  await watch('2000-01-01T00:00:00Z');
  await isReported('order.created');
  const [order] = await refundableOrders(client, store);
  await create(`/ecommerce/orders/${order?.id ?? ''}/refund`, { amount: '1.00' });
  // Reads the store at once.
  await watch(later(0));
  await isReported('order.updated');
}

async function provokeRefunds(): Promise<void> {
  const store = await connectAccount(client, 'sandbox_store', 'alder-oak');
  const [succeeds, fails, isLost] = await refundableOrders(client, store);
  const refund = (order: typeof succeeds) =>
    client.post(`/ecommerce/orders/${order?.id ?? ''}/refund`, { amount: '1.00' });
  const fault = (kind: FaultKind, method: string, order: typeof succeeds, times?: null) =>
    sandbox.fault({
      platform: 'store',
      kind,
      times,
      match: { method, path_prefix: `/api/orders/${order?.externalId ?? ''}/refunds` },
    });
  expect((await refund(succeeds)).json).toMatchObject({ status: 'succeeded' });
  await fault('403', 'POST', fails);
  expect((await refund(fails)).status).toBe(422);
  await fault('reset-after-effect', 'POST', isLost);
  await fault('500-before', 'GET', isLost, null);
  const { id } = (await refund(isLost)).json;
  // Without its store, the outcome can be found by a person only.
  await client.expect(204, 'DELETE', `/connections/${store}`);
  await eventually('the refund needs a review', async () => {
    const { status } = await client.expect(200, 'GET', `/ecommerce/refunds/${asText(id)}`);
    return status === 'needs_review' || null;
  });
  await sandbox.clearFaults();
  const resolution = { outcome: 'succeeded', note: 'Seen in the store' };
  await client.expect(200, 'POST', `/ecommerce/refunds/${asText(id)}/resolve`, { body: resolution });
}

test('every type of event is listed and delivered with the payload that is documented for it', async () => {
  const { after } = await client.expect(200, 'GET', '/events', { query: { after: 'now' } });
  await create('/webhooks', { url: `${receiver.url}/all`, events: [...new Set(eventTypes.map(groupOf))] });
  receiver.respond('/gone', (response) => response.writeHead(410).end());
  await create('/webhooks', { url: `${receiver.url}/gone`, events: ['key.created'] });
  await provokeKeys();
  await provokeConnections();
  await provokePosts();
  await provokeApprovals();
  await provokeMedia();
  await provokeOrders();
  await provokeRefunds();

  const validate = await createEventValidator();
  const events = await listEvents(asText(after));
  expect(events.flatMap((event) => validate(event) ?? [])).toEqual([]);
  expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual(
    eventTypes.filter((type) => !notYetEmitted.includes(type)).toSorted(),
  );

  const received = () => receiver.requests.filter(({ path }) => path === '/all').map(({ event }) => event);
  await eventually('all are delivered', async () => received().length >= events.length || null);
  const bodies = new Map(received().map((event) => [event.id, event]));
  const delivered = events.map(({ id }) => bodies.get(asText(id)));
  // The link of a decision is only added while there is something to decide.
  const isEqual = (one: object | undefined, other: object) =>
    expect(JSON.parse(JSON.stringify(one), omitLink)).toEqual(JSON.parse(JSON.stringify(other), omitLink));
  events.forEach((event, index) => isEqual(delivered[index], event));
  expect(delivered.flatMap((event) => validate({ ...event } as JsonObject as ListedEvent) ?? [])).toEqual([]);
});

const omitLink = (name: string, value: unknown) => (name === 'decision_url' ? undefined : value);

/** No route authorizes a client yet. */
const notYetEmitted: readonly EventType[] = ['client.authorized', 'client.revoked'];

const groupOf = (type: string) => `${type.slice(0, type.indexOf('.'))}.*`;

type ListedEvent = JsonObject & { readonly type: string };

async function listEvents(start?: string): Promise<readonly ListedEvent[]> {
  const listed: ListedEvent[] = [];
  let after = start;
  for (let hasMore = true; hasMore;) {
    const query = { limit: 100, ...(after !== undefined && { after }) };
    const page = await client.expect(200, 'GET', '/events', { query });
    listed.push(...(asObjects(page['data']) as ListedEvent[]));
    after = asText(page['after']);
    hasMore = page['has_more'] === true;
  }
  return listed;
}

test('a payload with another field, of another type, or without a field does not match', async () => {
  const validate = await createEventValidator();
  const [event] = (await listEvents()).filter(({ type }) => type === 'key.revoked');
  if (!event) throw new Error('a key was revoked above');
  const data = event['data'] as JsonObject;
  expect(validate(event)).toBeNull();
  expect(validate({ ...event, data: { ...data, token: 'x' } } as ListedEvent)).toContain('additional');
  expect(validate({ ...event, data: { ...data, name: null } } as ListedEvent)).toContain('name');
  expect(validate({ ...event, type: 'post.published' })).toContain('post_id');
  expect(validate({ ...event, type: 'post.liked' })).toContain('not documented');
});
