import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { startWebhookReceiver, verifySignature, type WebhookReceiver } from './support/webhook-receiver.js';

let receiver: WebhookReceiver;
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  switchboard = await serveSwitchboard({
    name: 'webhooks',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: receiver.host, SWITCHBOARD_WEBHOOK_RETRIES: '0.2s,0.2s' },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await receiver?.close();
});

const create = (path: string, over: JsonObject = {}) =>
  client.expect(201, 'POST', '/webhooks', {
    body: { url: `${receiver.url}${path}`, events: ['key.*'], ...over },
  });
let keys = 0;
/** An event. */
const createKey = () =>
  client.expect(201, 'POST', '/keys', { body: { name: `key ${++keys}`, scopes: ['posts:read'] } });
const received = (path: string, count: number) =>
  eventually(`${path} received ${count}`, async () => {
    const found = receiver.requests.filter((one) => one.path === path);
    return found.length >= count ? found : null;
  });
const deliveries = async (id: string, query: Record<string, string> = {}) =>
  asObjects((await client.expect(200, 'GET', `/webhooks/${id}/deliveries`, { query })).data);

test('an event is delivered, signed, within the filters of its endpoint, and listed with its outcome', async () => {
  const webhook = await create('/first', { events: ['key.created'], description: 'CRM' });
  const id = asText(webhook['id']);
  expect(webhook).toMatchObject({ disabled: false, profile_ids: null, description: 'CRM' });
  receiver.respond('/first', (response) => response.end('<b>thanks</b>'));
  const key = await createKey();
  const [request] = await received('/first', 1);
  if (!request) throw new Error('received above');
  expect(verifySignature(asText(webhook['secret']), request)).toMatchObject({
    id: request.headers['webhook-id'],
    type: 'key.created',
    profile_id: null,
    sequence: expect.any(Number),
    data: { key_id: key['id'] },
  });
  const listed = await eventually('it is recorded', async () => {
    const [delivery] = await deliveries(id, { status: 'delivered' });
    return delivery ?? null;
  });
  expect(listed).toMatchObject({
    event_id: request.headers['webhook-id'],
    event_type: 'key.created',
    attempts: 1,
    last_attempt: {
      status: 200,
      latency_ms: expect.any(Number),
      response_head: '&lt;b&gt;thanks&lt;/b&gt;',
      error: null,
    },
  });
  await client.expect(204, 'DELETE', `/keys/${asText(key['id'])}`);
  await client.expect(204, 'DELETE', `/webhooks/${id}`);
  expect(receiver.types('/first')).toEqual(['key.created']);
  expect(JSON.stringify(await client.expect(200, 'GET', '/webhooks'))).not.toContain('whsec_');
});

test('a replayed creation has no secret, and an endpoint without the challenge is not created', async () => {
  const headers = { 'Idempotency-Key': 'one-webhook' };
  const body = { url: `${receiver.url}/once`, events: ['key.*'], disabled: true };
  const first = await client.post('/webhooks', body, headers);
  const again = await client.post('/webhooks', body, headers);
  expect(first.json['secret']).toMatch(/^whsec_/);
  expect(again.json).toEqual({ ...first.json, secret: null, secret_available: false });
  const refused = await client.post('/webhooks', { ...body, url: `${switchboard.url}/healthz` });
  expect([refused.status, refused.json['code']]).toEqual([422, 'webhook.url_refused']);
  const silent = await client.post('/webhooks', { ...body, url: `${switchboard.sandboxUrl}/_elsewhere` });
  expect([silent.status, silent.json['code']]).toEqual([422, 'webhook.challenge_failed']);
  const unknown = await client.post('/webhooks', { ...body, events: ['order.shipped'] });
  expect([unknown.status, unknown.json['code']]).toEqual([400, 'request.invalid']);
});

test('a failed delivery is retried with the same id, then has failed, and is delivered again on request', async () => {
  const id = asText((await create('/failing'))['id']);
  receiver.respond('/failing', (response) => response.writeHead(500).end('not yet'));
  await createKey();
  const requests = await received('/failing', 3);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const failed = await eventually(
    'it has failed',
    async () => (await deliveries(id, { status: 'failed' }))[0] ?? null,
  );
  expect(failed).toMatchObject({
    attempts: 3,
    next_attempt_at: null,
    last_attempt: { status: 500, response_head: 'not yet', error: 'status' },
  });
  expect(await client.expect(200, 'GET', `/webhooks/${id}`)).toMatchObject({
    failing_since: expect.any(String),
  });
  receiver.respond('/failing', (response) => response.writeHead(204).end());
  const path = `/webhooks/${id}/deliveries/${asText(failed['id'])}/redeliver`;
  expect(await client.expect(200, 'POST', path)).toMatchObject({ status: 'pending', attempts: 0 });
  const [, , , again] = await received('/failing', 4);
  expect(again?.headers['webhook-id']).toBe(failed['event_id']);
  await eventually('it is delivered', async () => (await deliveries(id, { status: 'delivered' }))[0] ?? null);
  await client.expect(204, 'DELETE', `/webhooks/${id}`);
});

test('what a disabled endpoint missed is delivered for a period; events of a rotation carry both signatures', async () => {
  const since = new Date(Date.now() - 1000).toISOString();
  const webhook = await create('/later', { disabled: true, events: ['key.created'] });
  const id = asText(webhook['id']);
  const missed = await createKey();
  const refused = await client.post(`/webhooks/${id}/redeliver`, { since });
  expect([refused.status, refused.json['code']]).toEqual([409, 'webhook.disabled']);
  await client.expect(200, 'PATCH', `/webhooks/${id}`, { body: { disabled: false } });
  await client.expect(200, 'POST', `/webhooks/${id}/redeliver`, { body: { since } });
  const requests = await eventually('the missed event is received', async () => {
    const found = receiver.requests.filter((one) => one.path === '/later');
    return found.some(({ event }) => event.data['key_id'] === missed['id']) ? found : null;
  });
  for (const request of requests) verifySignature(asText(webhook['secret']), request);

  const rotated = await client.expect(200, 'POST', `/webhooks/${id}/rotate`, {
    body: { overlap_seconds: 3600 },
  });
  const next = await createKey();
  const request = await eventually(
    'the next event is received',
    async () =>
      receiver.requests.find(({ path, event }) => path === '/later' && event.data['key_id'] === next['id']) ??
      null,
  );
  for (const secret of [webhook['secret'], rotated['secret']]) verifySignature(asText(secret), request);
  await client.expect(204, 'DELETE', `/webhooks/${id}`);
});

test('a test is sent at once, also to a disabled endpoint', async () => {
  const webhook = await create('/test', { disabled: true });
  receiver.respond('/test', (response) => response.writeHead(404).end());
  const path = `/webhooks/${asText(webhook['id'])}/test`;
  expect(await client.expect(200, 'POST', path)).toMatchObject({
    delivered: false,
    status: 404,
    error: 'status',
  });
  expect(receiver.types('/test')).toEqual(['webhook.test']);
});

test('410 disables an endpoint, with an event for another one and an item for attention', async () => {
  const gone = await create('/gone', { description: 'Old CRM' });
  const watcher = await create('/watcher', { events: ['webhook.disabled'] });
  receiver.respond('/gone', (response) => response.writeHead(410).end());
  await createKey();
  const [notice] = await received('/watcher', 1);
  expect(notice?.event).toMatchObject({
    type: 'webhook.disabled',
    data: { webhook_id: gone['id'], reason: 'gone' },
  });
  expect(await client.expect(200, 'GET', `/webhooks/${asText(gone['id'])}`)).toMatchObject({
    disabled: true,
    disabled_reason: 'gone',
  });
  const { data } = await client.expect(200, 'GET', '/attention');
  const [item] = asObjects(data).filter(({ webhook_id }) => webhook_id === gone['id']);
  expect(item).toMatchObject({ kind: 'webhook_disabled', title: 'Old CRM' });
  const { next } = item as { next: { operation: string; arguments: JsonObject } };
  expect(next.operation).toBe('updateWebhook');
  const { id, ...body } = next.arguments;
  await client.expect(200, 'PATCH', `/webhooks/${asText(id)}`, { body });
  for (const one of [gone, watcher]) await client.expect(204, 'DELETE', `/webhooks/${asText(one['id'])}`);
});

test('endpoints that hang, drip or answer 10 GB delay no delivery to a healthy one', async () => {
  const paths = ['/hang', '/drip', '/huge', '/healthy'];
  const ids = new Map<string, string>();
  for (const path of paths) ids.set(path, asText((await create(path, { events: ['key.created'] }))['id']));
  const closing: (() => void)[] = [];
  receiver.respond('/hang', (response) => void closing.push(() => response.destroy()));
  receiver.respond('/drip', (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(drip));
    closing.push(() => response.destroy());
  });
  receiver.respond('/huge', (response) => {
    response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) });
    const block = Buffer.alloc(65_536, 'x');
    const write = (): void => {
      if (response.destroyed) return;
      if (response.write(block)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  });
  for (let index = 0; index < 12; index++) await createKey();
  await received('/healthy', 12);
  await received('/huge', 12);
  const huge = await eventually('all are recorded', async () => {
    const delivered = await deliveries(ids.get('/huge') ?? '', { status: 'delivered' });
    return delivered.length === 12 ? delivered : null;
  });
  for (const one of huge)
    expect(one['last_attempt']).toMatchObject({ status: 200, response_head: 'x'.repeat(1024) });
  // No response has ended there: the healthy endpoint did not wait for the deadline of 15 seconds.
  for (const path of ['/hang', '/drip']) {
    expect(receiver.types(path).length).toBeGreaterThan(0);
    expect(receiver.types(path).length).toBeLessThanOrEqual(4);
    expect(await deliveries(ids.get(path) ?? '', { status: 'delivered' })).toEqual([]);
  }
  for (const id of ids.values()) await client.expect(204, 'DELETE', `/webhooks/${id}`);
  for (const close of closing) close();
});

test('every change has an audit row, and secrets are stored sealed', async () => {
  const webhook = await create('/audited', { disabled: true });
  const id = asText(webhook['id']);
  await client.expect(200, 'PATCH', `/webhooks/${id}`, { body: { description: 'Changed' } });
  await client.expect(200, 'POST', `/webhooks/${id}/rotate`);
  await client.expect(200, 'POST', `/webhooks/${id}/test`);
  await client.expect(204, 'DELETE', `/webhooks/${id}`);
  const rows = await queryRows<{ action: string }>(
    switchboard.databaseUrl,
    `SELECT action FROM audit_rows WHERE object = '${id}' AND outcome = 'ok' ORDER BY id`,
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'createWebhook',
    'updateWebhook',
    'rotateWebhookSecret',
    'testWebhook',
    'deleteWebhook',
  ]);
  expect(switchboard.logs()).not.toContain('whsec_');
});

test('a key without the scope, and one that hides personal data, cannot create an open endpoint', async () => {
  const body = { url: `${receiver.url}/narrow`, events: ['connection.*'] };
  const make = async (scopes: string[], policy: JsonObject = {}) => {
    const key = await client.expect(201, 'POST', '/keys', { body: { name: 'narrow', scopes, policy } });
    return restClient(switchboard.url, asText(key['secret']));
  };
  const reader = await (await make(['webhooks:read'])).post('/webhooks', body);
  expect([reader.status, reader.json['code']]).toEqual([403, 'key.scope_missing']);
  const hiding = await make(['webhooks:write'], { hide_personal_data: true });
  const open = await hiding.post('/webhooks', { ...body, hide_personal_data: false });
  expect([open.status, open.json['code']]).toEqual([403, 'key.policy_exceeded']);
  expect(await hiding.expect(201, 'POST', '/webhooks', { body })).toMatchObject({ hide_personal_data: true });
});

test('the metrics count attempts and the age of the oldest delivery', async () => {
  const metrics = await (await fetch(`${switchboard.url}/metrics`)).text();
  expect(metrics).toMatch(/switchboard_webhook_attempts_total\{outcome="delivered"\} [1-9]/);
  expect(metrics).toMatch(/switchboard_webhook_attempts_total\{outcome="failed"\} [1-9]/);
  expect(metrics).toMatch(/switchboard_webhook_oldest_pending_seconds [\d.]+/);
});
