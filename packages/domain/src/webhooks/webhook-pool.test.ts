import { expect, test } from '@jest/globals';
import { answered } from '../../testing/environment/fake-webhooks.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { opaqueEvent } from '../../testing/opaque-event.js';
import type { EventType } from '../events/event.js';
import type { ProfileId } from '../ids.js';
import type { WebhookMessage } from '../ports/index.js';
import { ok } from '../result.js';
import { Secret } from '../secret.js';
import { PENDING_MAX } from './fill-lane.js';
import { serveLane, type LaneOptions } from './serve-lane.js';
import { FAILING_LANES_MAX, LANES_MAX, webhookPool } from './webhook-pool.js';
import { webhookSecretBinding, type Webhook } from './webhook.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

async function openWebhooks() {
  const it = await createTestEnvironment();
  const outcomes: string[] = [];
  const options: LaneOptions = { schedule, onAttempt: (outcome) => outcomes.push(outcome) };
  const never = new AbortController().signal;
  const run = it.ports.transactions.run.bind(it.ports.transactions);
  const unlocked = await it.vault.unlock(it.workspace.id);
  if (!unlocked.ok) throw new Error('locked');
  const add = async (over: Partial<Webhook> = {}) => {
    const webhook = it.build.webhook(it.workspace, over);
    const sealed = unlocked.value.seal(webhookSecretBinding(webhook.id, 1), new Secret('whsec_AAAA'));
    await run(async (tx) => {
      await tx.webhooks.insert(webhook, { generation: 1, sealed }, await tx.events.findEnd());
      return ok();
    });
    return webhook;
  };
  const append = (type: EventType, profileId: ProfileId | null = it.profile.id, data: object = {}) =>
    run(async (tx) => {
      await tx.events.append(opaqueEvent({ workspaceId: it.workspace.id, type, profileId, data }));
      return ok();
    });
  const claim = async () => {
    const lanes = await run(async (tx) => ok(await tx.webhooks.claimLanes({ lanes: 100, failing: 100 }, 60)));
    if (!lanes.ok) throw new Error('not claimed');
    return lanes.value;
  };
  /** Serves every lane with work, as a sweep does. */
  const deliver = async () => {
    const lanes = await claim();
    for (const lane of lanes) {
      await serveLane(it.ports, lane, options, never, never);
      await run(async (tx) => ok(await tx.webhooks.releaseLane(lane)));
    }
    return lanes.length;
  };
  const typesSentTo = ({ url }: Webhook) =>
    it.webhookClient.sent
      .filter((message) => message.url === url)
      .map(({ body }) => (JSON.parse(body) as { type: string }).type);
  const deliveries = async ({ id }: Webhook) => {
    const page = await it.ports.webhooks.listDeliveries(it.workspace.id, id, {}, { limit: 1000 });
    return page.items;
  };
  return { ...it, run, add, append, claim, deliver, typesSentTo, deliveries, outcomes, options };
}

test('an endpoint receives the events that its filters select, once each, oldest first', async () => {
  const it = await openWebhooks();
  const other = it.build.profile(it.workspace);
  await it.run(async (tx) => ok(await tx.profiles.insert(other)));
  await it.append('post.created');
  const all = await it.add({ events: ['post.*', 'key.created'] });
  const theirs = await it.add({ events: ['post.published'], profileIds: [other.id] });
  await it.append('post.created');
  await it.append('media.failed');
  await it.append('key.created', null);
  await it.append('post.published', other.id);
  await it.deliver();
  await it.deliver();
  expect(it.typesSentTo(all)).toEqual(['post.created', 'key.created', 'post.published']);
  expect(it.typesSentTo(theirs)).toEqual(['post.published']);
  expect(await it.deliveries(theirs)).toMatchObject([
    { status: 'delivered', attempts: 1, lastAttempt: { status: 204, error: null } },
  ]);
  expect(await it.deliver()).toBe(0);
});

test('the body is the event, with a sequence, and the id is the same in every attempt', async () => {
  const it = await openWebhooks();
  const webhook = await it.add({ events: ['connection.*'], hidePersonalData: true });
  const open = await it.add({ events: ['connection.*'] });
  it.webhookClient.respond = async () => answered(500);
  await it.append('connection.connected', it.profile.id, { account: 'ada', platform: 'x' });
  await it.deliver();
  it.clock.advance(10_000);
  await it.deliver();
  const sent = it.webhookClient.sent.filter(({ url }) => url === webhook.url);
  expect(sent).toHaveLength(2);
  const [event] = it.events();
  expect(new Set(sent.map(({ id }) => id))).toEqual(new Set([event?.id]));
  expect(sent[1]?.timestamp).not.toEqual(sent[0]?.timestamp);
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
    id: event?.id,
    type: 'connection.connected',
    created_at: event?.createdAt.toISOString(),
    profile_id: it.profile.id,
    sequence: event?.sequence,
    data: { account: '***', platform: 'x' },
  });
  const plain = it.webhookClient.sent.find(({ url }) => url === open.url);
  expect(plain?.body).toContain('"account":"ada"');
});

test('a failed delivery is retried on the schedule, and has failed after its last attempt', async () => {
  const it = await openWebhooks();
  const webhook = await it.add();
  it.webhookClient.respond = async () => answered(500, { head: 'no' });
  await it.append('post.failed');
  const startMs = it.clock.now().getTime();
  const attemptsAt: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt++) {
    await it.deliver();
    const [delivery] = await it.deliveries(webhook);
    attemptsAt.push(delivery?.lastAttempt?.at.getTime() ?? 0);
    expect(delivery?.attempts).toBe(attempt);
    if (attempt === 10) break;
    const delay = schedule[attempt - 1] ?? 0;
    const waitMs = (delivery?.nextAttemptAt?.getTime() ?? 0) - it.clock.now().getTime();
    expect(waitMs / 1000).toBeGreaterThan(delay * 0.79);
    expect(waitMs / 1000).toBeLessThan(delay * 1.21);
    it.clock.advance(waitMs - 1000);
    expect(await it.deliver()).toBe(0);
    it.clock.advance(2000);
  }
  expect(((attemptsAt.at(-1) ?? 0) - startMs) / HOUR_MS).toBeGreaterThan(60);
  expect(await it.deliveries(webhook)).toMatchObject([
    {
      status: 'failed',
      nextAttemptAt: null,
      lastAttempt: { status: 500, responseHead: 'no', error: 'status' },
    },
  ]);
  expect(it.outcomes).toEqual([...Array<string>(9).fill('retry'), 'failed']);
});

test('Retry-After postpones the delivery and pauses the endpoint, other endpoints continue', async () => {
  const it = await openWebhooks();
  const busy = await it.add();
  const healthy = await it.add();
  it.webhookClient.respond = async ({ url }) =>
    url === busy.url ? answered(429, { retryAfter: '7200' }) : answered(204);
  await it.append('post.created');
  await it.deliver();
  await it.append('post.updated');
  await it.deliver();
  expect(it.typesSentTo(busy)).toEqual(['post.created']);
  expect(it.typesSentTo(healthy)).toEqual(['post.created', 'post.updated']);
  it.clock.advance(HOUR_MS);
  expect(await it.deliver()).toBe(0);
  it.clock.advance(HOUR_MS + 5000);
  it.webhookClient.respond = async () => answered(204);
  await it.deliver();
  expect(it.typesSentTo(busy).toSorted()).toEqual(['post.created', 'post.created', 'post.updated']);
});

test('410 disables the endpoint at once, with an event, an audit row and no further attempt', async () => {
  const it = await openWebhooks();
  const webhook = await it.add({ description: 'CRM' });
  const watcher = await it.add({ events: ['webhook.disabled'] });
  it.webhookClient.respond = async ({ url }) => answered(url === webhook.url ? 410 : 204);
  for (let index = 0; index < 20; index++) await it.append('post.created');
  await it.deliver();
  await it.deliver();
  expect(await it.ports.webhooks.find(it.workspace.id, webhook.id)).toMatchObject({
    disabledReason: 'gone',
    disabledAt: expect.any(Date),
  });
  expect(it.typesSentTo(webhook).length).toBeLessThanOrEqual(4);
  expect(it.typesSentTo(watcher)).toEqual(['webhook.disabled']);
  expect(it.events().at(-1)).toMatchObject({
    type: 'webhook.disabled',
    data: {
      webhook_id: webhook.id,
      reason: 'gone',
      next: { operation: 'updateWebhook', arguments: { id: webhook.id, disabled: false } },
    },
  });
  expect(it.auditRows()).toMatchObject([{ action: 'webhook.disabled', object: webhook.id }]);
  for (const { status } of await it.deliveries(webhook)) expect(status).toBe('failed');
  it.clock.advance(DAY_MS);
  expect(await it.deliver()).toBe(0);
});

test('five days without a success disable the endpoint, one success starts them again', async () => {
  const it = await openWebhooks();
  const webhook = await it.add();
  const find = () => it.ports.webhooks.find(it.workspace.id, webhook.id);
  let status = 500;
  it.webhookClient.respond = async () => answered(status);
  const passDays = async (days: number) => {
    for (let hours = 0; hours < days * 24; hours += 6) {
      await it.append('post.created');
      await it.deliver();
      it.clock.advance(6 * HOUR_MS);
    }
  };
  await passDays(4);
  expect((await find())?.failingSince).not.toBeNull();
  status = 200;
  await it.deliver();
  expect((await find())?.failingSince).toBeNull();
  status = 500;
  await passDays(4.9);
  expect((await find())?.disabledReason).toBeNull();
  await passDays(0.5);
  expect((await find())?.disabledReason).toBe('failing');
});

test('four requests are sent to an endpoint at once, and a hanging one delays no other endpoint', async () => {
  const it = await openWebhooks();
  const hanging = await it.add();
  const healthy = await it.add();
  let waiting: (() => void)[] = [];
  let most = 0;
  it.webhookClient.respond = async ({ url }: WebhookMessage) => {
    if (url === healthy.url) return answered(204);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
    });
    return answered(204);
  };
  for (let index = 0; index < 30; index++) await it.append('post.created');
  const errors: unknown[] = [];
  const pool = webhookPool(it.ports, new AbortController().signal, {
    ...it.options,
    onError: (error) => errors.push(error),
  });
  await pool.sweep();
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(() => it.typesSentTo(healthy).length === 30 && waiting.length > 0);
  await pool.sweep();
  expect(it.typesSentTo(hanging)).toHaveLength(4);
  await until(() => {
    const released = waiting;
    waiting = [];
    for (const release of released) release();
    return it.typesSentTo(hanging).length === 30;
  });
  for (const release of waiting) release();
  await pool.drain();
  expect([most, errors]).toEqual([4, []]);
});

test('endpoints that fail leave room for the others, however many they are', async () => {
  const it = await openWebhooks();
  const failingSince = it.clock.now();
  for (let index = 0; index < LANES_MAX + 1; index++) await it.add({ failingSince });
  const healthy = await it.add();
  const waiting: (() => void)[] = [];
  it.webhookClient.respond = async ({ url }) => {
    if (url !== healthy.url) await new Promise<void>((resolve) => waiting.push(resolve));
    return answered(204);
  };
  await it.append('post.created');
  const pool = webhookPool(it.ports, new AbortController().signal, {
    ...it.options,
    onError: (error) => {
      throw error;
    },
  });
  await pool.sweep();
  await pool.sweep();
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(() => it.typesSentTo(healthy).length === 1 && waiting.length === FAILING_LANES_MAX);
  await it.append('post.updated');
  while (it.typesSentTo(healthy).length < 2) await pool.sweep();
  expect(waiting).toHaveLength(FAILING_LANES_MAX);
  it.webhookClient.respond = async () => answered(204);
  for (const release of waiting) release();
  await pool.drain();
});

test('attempts are recorded many at a time, and while another request of the endpoint still waits', async () => {
  const it = await openWebhooks();
  const webhook = await it.add();
  for (let index = 0; index < 100; index++) await it.append('post.created');
  let release: () => void = () => undefined;
  it.webhookClient.respond = async () => {
    if (it.webhookClient.sent.length === 1) await new Promise<void>((resolve) => (release = resolve));
    return answered(204);
  };
  let writes = 0;
  const { transactions } = it.ports;
  const run: typeof transactions.run = (work) => {
    writes += 1;
    return transactions.run(work);
  };
  const [lane] = await it.claim();
  if (!lane) throw new Error('not claimed');
  const never = new AbortController().signal;
  const ports = { ...it.ports, transactions: { ...transactions, run } };
  const serving = serveLane(ports, lane, it.options, never, never);
  const delivered = async () =>
    (await it.deliveries(webhook)).filter(({ status }) => status === 'delivered').length;
  while ((await delivered()) < 99) await new Promise((resolve) => setImmediate(resolve));
  release();
  await serving;
  expect(await delivered()).toBe(100);
  // Two of them fill the lane.
  expect(writes).toBeLessThan(10);
});

test('attempts that another process took over are not recorded', async () => {
  const it = await openWebhooks();
  const webhook = await it.add();
  await it.append('post.created');
  it.webhookClient.respond = async () => {
    // The lease has expired meanwhile.
    it.clock.advance(120_000);
    await it.run(async (tx) => ok(await tx.webhooks.claimLanes({ lanes: 1, failing: 1 }, 60)));
    return answered(204);
  };
  await it.deliver();
  expect(it.outcomes).toEqual([]);
  expect(await it.deliveries(webhook)).toMatchObject([{ status: 'pending', attempts: 0 }]);
});

test('a backlog is a position: rows exist for the deliveries that are being sent or retried', async () => {
  const it = await openWebhooks();
  const webhook = await it.add();
  for (let index = 0; index < 250; index++) await it.append('post.created');
  let most = 0;
  it.webhookClient.respond = async () => {
    const pending = (await it.deliveries(webhook)).filter(({ status }) => status === 'pending');
    most = Math.max(most, pending.length);
    return answered(204);
  };
  await it.deliver();
  expect(it.typesSentTo(webhook)).toHaveLength(250);
  expect(most).toBeLessThanOrEqual(100);
  expect(PENDING_MAX).toBe(10_000);
});

test('a payload of more than 20 KB is cut, and says so', async () => {
  const it = await openWebhooks();
  await it.add();
  const deliveries = Array.from({ length: 200 }, (_, index) => ({ id: index, text: 'é'.repeat(200) }));
  await it.append('post.failed', it.profile.id, { post_id: 'pst_1', deliveries });
  await it.deliver();
  const body = it.webhookClient.sent[0]?.body ?? '';
  expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(20_000);
  const { data } = JSON.parse(body) as { data: { deliveries: unknown[]; post_id: string } };
  expect(data).toMatchObject({ post_id: 'pst_1', truncated: true });
  expect(data.deliveries.length).toBeGreaterThan(10);
});

test('a cut payload keeps every field, also those inside objects', async () => {
  const it = await openWebhooks();
  await it.add();
  const ids = Array.from({ length: 2000 }, (_, index) => `pst_${String(index).padStart(26, '0')}`);
  await it.append('post.failed', it.profile.id, { post_id: 'pst_1', affected_posts: { count: 2000, ids } });
  await it.append('post.failed', it.profile.id, {
    post_id: 'pst_1',
    failure: { code: 'c', message: 'é'.repeat(30_000) },
  });
  await it.deliver();
  const bodies = it.webhookClient.sent.map(({ body }) => body);
  expect(bodies.map((body) => new TextEncoder().encode(body).length <= 20_000)).toEqual([true, true]);
  const [lists, texts] = bodies.map((body) => (JSON.parse(body) as { data: Record<string, unknown> }).data);
  const affected = lists?.['affected_posts'] as { count: number; ids: string[] };
  expect(affected.count).toBe(2000);
  expect(affected.ids).toEqual(ids.slice(0, 500));
  expect(texts).toEqual({
    post_id: 'pst_1',
    failure: { code: 'c', message: 'é'.repeat(7500) },
    truncated: true,
  });
});
