import { describe, expect, test } from '@jest/globals';
import { memorySocial, type SimulatedOutcome } from '../../testing/environment/memory-social.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { Connection } from '../connections/connection.js';
import { type FailureCode, refuse } from '../failure.js';
import type { SessionFailureCode } from '../ports/index.js';
import { ok } from '../result.js';
import { cancelPost } from '../posts/cancel-post.js';
import { missingPermissions } from '../connections/connection-health.js';
import { retryPost } from './retry-post.js';
import { deliver } from './deliver.js';
import type { Post } from '../posts/post.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import { readBackDelivery } from './read-back-delivery.js';

const never = new AbortController().signal;
const fails = (
  response: SimulatedOutcome['response'],
  more: Partial<SimulatedOutcome> = {},
): SimulatedOutcome => ({
  takesEffect: false,
  response,
  ...more,
});

async function scene(connections = 1, over: Partial<Delivery> = {}, readBack = true) {
  const social = memorySocial({ readBack });
  const at = await createTestEnvironment([social]);
  const targets: Connection[] = [];
  for (let count = 0; count < connections; count++) targets.push(await at.connect());
  const post = at.build.post(
    at.profile,
    targets,
    { notAfter: over.notAfter ?? at.clock.after(21_600_000) },
    over,
  );
  await at.repositories.posts.insert(post);
  const first = post.deliveries[0]?.id ?? at.ids.next('dlv');
  const work = (id = first) => ({ workspaceId: at.workspace.id, deliveryId: id });
  return {
    ...at,
    social,
    post,
    targets,
    deliver: (id = first) => deliver(at.ports, work(id), never),
    readBack: (id = first) => readBackDelivery(at.ports, work(id), never),
    read: async (id = first) => {
      const delivery = await at.repositories.deliveries.find(at.workspace.id, id);
      if (!delivery) throw new Error('a delivery is gone');
      return delivery;
    },
    history: async () =>
      (await at.repositories.deliveries.listHistory(at.workspace.id, post.id)).map(
        ({ kind, outcome }) => `${kind} ${outcome}`,
      ),
    eventTypes: () => at.events().map(({ type }) => type),
    postEvents: (of: Post = post) =>
      at
        .events()
        .filter(({ type, data }) => data['post_id'] === of.id && !type.startsWith('post.delivery'))
        .map(({ type }) => type),
    jobNames: () => at.jobs().map(({ job }) => job.name),
  };
}

async function untilDue({
  clock,
  repositories,
  post,
}: Pick<TestEnvironment, 'clock' | 'repositories'> & { post: Post }) {
  const [delivery] = (await repositories.posts.find(post.workspaceId, post.id))?.deliveries ?? [];
  clock.advance(Math.max(0, (delivery?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime()));
}

test('publishing stores the platform’s result, with history and events, and enqueues no further job', async () => {
  const it = await scene();
  await it.deliver();
  const delivery = await it.read();
  const url = `https://social.example/${delivery.id}.0`;
  expect(delivery).toMatchObject({
    status: 'published',
    url,
    attempts: 1,
    epoch: 1,
    error: null,
    nextAttemptAt: null,
  });
  expect(delivery.parts).toMatchObject([
    { index: 0, status: 'published', externalId: delivery.externalId, url, receipt: {} },
  ]);
  expect(await it.history()).toEqual(['attempt begun', 'attempt published']);
  expect(it.eventTypes()).toEqual(['post.delivery_published', 'post.published']);
  expect(it.auditRows()).toMatchObject([
    { actor: 'system:worker', action: 'delivery.published', object: delivery.id, outcome: 'ok' },
  ]);
  expect(it.jobNames()).toEqual([]);
});

describe('the end of an attempt', () => {
  const outcomes: [FailureCode, DeliveryStatus][] = [
    ['platform.unavailable', 'retrying'],
    ['platform.rate_limited', 'retrying'],
    ['vault.unavailable', 'retrying'],
    ['vault.unreadable', 'retrying'],
    ['platform.outcome_unknown', 'unknown'],
    ['platform.invalid_response', 'unknown'],
    ['platform.refused', 'failed'],
    ['platform.permission_missing', 'failed'],
    ['platform.address_refused', 'failed'],
  ];
  test.each(outcomes)('with %s sets the delivery to %s', async (response, status) => {
    const it = await scene();
    it.social.publishOutcomes.push(fails(response as SimulatedOutcome['response']));
    await it.deliver();
    expect(await it.read()).toMatchObject({ status, error: { code: response }, epoch: 1 });
    expect(it.jobNames()).toEqual([]);
    expect(await it.history()).toEqual(['attempt begun', `attempt ${status}`]);
    expect(it.postEvents()).toEqual(status === 'failed' ? ['post.failed'] : []);
    const audited = it.auditRows().filter(({ action }) => action.startsWith('delivery'));
    expect(audited.map(({ action, outcome }) => [action, outcome])).toEqual(
      status === 'failed' ? [['delivery.failed', response]] : [],
    );
  });

  test('that lacks a permission degrades the connection, once, until a post is published (finding 47)', async () => {
    const it = await scene();
    const { workspaceId, connectionId } = await it.read();
    const connection = async () => {
      const found = await it.repositories.connections.find(workspaceId, connectionId);
      const types = it.events().map(({ type }) => type);
      return [
        found?.status,
        found && missingPermissions(null, found),
        types.filter((type) => type.startsWith('connection')),
      ];
    };
    const retry = () =>
      it.atomic((ports) => retryPost(ports, it.call(), { id: it.post.id, allowDuplicate: true }));
    for (const _ of [1, 2]) {
      it.social.publishOutcomes.push(fails('platform.permission_missing'));
      await it.deliver();
      expect(await connection()).toEqual(['degraded', ['publishing'], ['connection.degraded']]);
      await retry();
    }
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published' });
    expect(await connection()).toEqual(['active', [], ['connection.degraded', 'connection.restored']]);
  });

  test.each<SessionFailureCode>(['platform.not_configured', 'platform.unavailable', 'vault.unavailable'])(
    'a login that cannot be opened for %s is retried later, and nothing was sent',
    async (code) => {
      const it = await scene();
      it.doors.sessionResult = refuse(code, 'Not now.');
      await it.deliver();
      expect(await it.read()).toMatchObject({ status: 'retrying', error: { code } });
      expect(it.social.published).toEqual([]);
    },
  );

  test.each<SimulatedOutcome['response']>(['platform.outcome_unknown', 'platform.invalid_response'])(
    '%s requires a person where no read-back is possible',
    async (response) => {
      const it = await scene(1, {}, false);
      it.social.publishOutcomes.push(fails(response));
      await it.deliver();
      expect(await it.read()).toMatchObject({ status: 'needs_review', nextAttemptAt: null });
      expect(it.postEvents()).toEqual(['post.needs_review']);
    },
  );

  test('a deleted account fails the delivery', async () => {
    const it = await scene();
    await it.repositories.connections.delete(it.workspace.id, it.targets[0]?.id ?? it.ids.next('con'));
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'failed', error: { code: 'connection.not_found' } });
  });

  test('the platform’s own message is stored next to ours', async () => {
    const it = await scene();
    const platform = it.social.platform.publishing;
    if (!platform) throw new Error('it publishes');
    const words = { name: 'Sandbox', code: 'E7', message: 'No swearing.' };
    Object.assign(platform, {
      publish: async () => refuse('platform.refused', 'It was refused.', { platform: words }),
    });
    await it.deliver();
    expect(await it.read()).toMatchObject({ error: { code: 'platform.refused', platform: words } });
  });
});

describe('a later attempt', () => {
  test('has exponential backoff, and never less than the platform requested', async () => {
    const it = await scene();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      it.social.publishOutcomes.push(
        fails('platform.rate_limited', attempt === 1 ? { retryAfterSeconds: 100 } : {}),
      );
      const before = it.clock.now().getTime();
      await it.deliver();
      waits.push(Math.round((((await it.read()).nextAttemptAt?.getTime() ?? 0) - before) / 1000));
      await untilDue(it);
    }
    expect(waits).toEqual([5, 100, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900]);
  });

  test('sends the same item with the same reference', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(fails('platform.unavailable'));
    await it.deliver();
    await untilDue(it);
    await it.deliver();
    expect(it.social.published).toEqual([`${(await it.read()).id}.0`]);
    expect(await it.read()).toMatchObject({ status: 'published', attempts: 2, epoch: 2 });
  });

  test('is not made after not_after: the delivery is missed', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(fails('platform.rate_limited', { retryAfterSeconds: 30_000 }));
    await it.deliver();
    expect(await it.read()).toMatchObject({
      status: 'missed',
      error: { code: 'post.missed' },
      nextAttemptAt: null,
    });
    expect(it.eventTypes()).toEqual(['post.delivery_failed', 'post.missed']);
    expect(it.jobNames()).toEqual([]);
  });
});

test('what is claimed after its not_after is missed and never sent', async () => {
  const it = await scene(1, { notAfter: new Date('2026-03-02T08:59:00Z') });
  await it.deliver();
  expect(await it.read()).toMatchObject({ status: 'missed' });
  expect(it.social.published).toEqual([]);
  expect(await it.history()).toEqual(['state missed']);
});

describe('two workers', () => {
  test('publish a delivery once', async () => {
    const it = await scene();
    await Promise.all(Array.from({ length: 5 }, () => it.deliver()));
    expect(it.social.published).toHaveLength(1);
    expect(await it.history()).toEqual(['attempt begun', 'attempt published']);
  });

  test('one that lost its claim writes nothing, and the other finds its post', async () => {
    const it = await scene();
    it.social.publishOutcomes.push({
      takesEffect: true,
      response: 'ok',
      duringRequest: async () => {
        it.clock.advance(91_000);
        it.social.published.push(`${it.post.deliveries[0]?.id}.0`);
        await it.readBack();
      },
    });
    it.social.published.length = 0;
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published', epoch: 2 });
    expect(await it.history()).toEqual(['attempt begun', 'read_back published']);
    expect(it.postEvents()).toEqual(['post.published']);
  });

  test('that settle two deliveries of one post emit its final event once', async () => {
    const it = await scene(2);
    await Promise.all(it.post.deliveries.map(({ id }) => it.deliver(id)));
    expect(it.postEvents()).toEqual(['post.published']);
  });
});

describe('an attempt that threw', () => {
  test('is not sent again but read back, and found', async () => {
    const it = await scene();
    it.social.publishOutcomes.push({ takesEffect: true, response: 'throws' });
    await expect(it.deliver()).rejects.toThrow('a bug in an adapter');
    expect(await it.read()).toMatchObject({ status: 'sending' });
    it.clock.advance(91_000);
    await it.deliver();
    expect(it.social.published).toHaveLength(1);
    await it.readBack();
    expect(await it.read()).toMatchObject({ status: 'published', error: null });
    expect(it.social.published).toHaveLength(1);
  });

  test('requires a person where no read-back is possible', async () => {
    const it = await scene(1, {}, false);
    it.social.publishOutcomes.push({ takesEffect: true, response: 'throws' });
    await expect(it.deliver()).rejects.toThrow('a bug in an adapter');
    it.clock.advance(91_000);
    await it.readBack();
    expect(await it.read()).toMatchObject({ status: 'needs_review' });
    expect(it.social.published).toHaveLength(1);
  });
});

describe('events of a post', () => {
  test('announce a review once, regardless of how many of its deliveries settle after it', async () => {
    const it = await scene(3, {}, false);
    it.social.publishOutcomes.push(fails('platform.outcome_unknown'));
    for (const { id } of it.post.deliveries) await it.deliver(id);
    expect(it.postEvents()).toEqual(['post.needs_review']);
  });

  test('are not emitted while a delivery is open, and once when the last one settles', async () => {
    const it = await scene(3);
    it.social.publishOutcomes.push(fails('platform.unavailable'), fails('platform.refused'));
    for (const { id } of it.post.deliveries) await it.deliver(id);
    expect(it.postEvents()).toEqual([]);
    await untilDue(it);
    await it.deliver();
    expect(it.postEvents()).toEqual(['post.partially_published']);
  });
});

describe('an expired login', () => {
  const lost: SimulatedOutcome = fails('connection.needs_reauth');
  const bring = (it: Awaited<ReturnType<typeof scene>>, status: Connection['status']) =>
    it.ports.transactions.run(async (tx) => {
      const id = it.targets[0]?.id ?? it.ids.next('con');
      await tx.connections.update(it.workspace.id, id, { status });
      return ok(status === 'active' ? await tx.deliveries.unblock(it.workspace.id, id) : []);
    });

  test('blocks due deliveries without a request to the platform, and releases them when it is reconnected', async () => {
    const it = await scene();
    await bring(it, 'needs_reauth');
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'blocked', error: { code: 'connection.needs_reauth' } });
    expect([it.postEvents(), it.jobNames()]).toEqual([[], []]);
    await bring(it, 'active');
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published' });
  });

  test('blocks only until its not_after, then the delivery is missed', async () => {
    const it = await scene();
    await bring(it, 'needs_reauth');
    await it.deliver();
    it.clock.advance(21_700_000);
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'missed' });
  });

  test('that was reconnected during the attempt does not delay the delivery', async () => {
    const it = await scene();
    it.social.publishOutcomes.push({
      ...lost,
      duringRequest: async () => {
        await bring(it, 'needs_reauth');
        await bring(it, 'active');
      },
    });
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'retrying' });
    await untilDue(it);
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published' });
  });

  test('of an account that was disconnected meanwhile does not leave the delivery waiting', async () => {
    const it = await scene();
    it.social.publishOutcomes.push({
      ...lost,
      duringRequest: () =>
        it.repositories.connections.delete(it.workspace.id, it.targets[0]?.id ?? it.ids.next('con')),
    });
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'failed', error: { code: 'connection.not_found' } });
  });
});

test('a post being sent can no longer be cancelled, a waiting one can', async () => {
  const it = await scene(2);
  const cancel = () => it.atomic((ports) => cancelPost(ports, it.call(), { id: it.post.id }));
  it.social.publishOutcomes.push({ takesEffect: true, response: 'ok', duringRequest: cancel });
  await it.deliver();
  const after = await it.repositories.posts.find(it.workspace.id, it.post.id);
  expect(after?.deliveries.map(({ status }) => status)).toEqual(['published', 'cancelled']);
  expect(it.postEvents()).toEqual(['post.updated', 'post.partially_published']);
  await it.deliver(it.post.deliveries[1]?.id);
  expect(it.social.published).toHaveLength(1);
});

test('a post that the platform accepted and still processes is looked up past its not_after: neither missed nor cancelled', async () => {
  const it = await scene();
  const { notAfter } = await it.read();
  it.clock.advance(notAfter.getTime() - it.clock.now().getTime() - 1_000);
  it.social.publishOutcomes.push({ takesEffect: true, response: 'platform.outcome_unknown' });
  await it.deliver();
  const cancel = () => it.atomic((ports) => cancelPost(ports, it.call(), { id: it.post.id }));
  expect(await cancel()).toMatchObject({ failure: { code: 'post.already_published' } });
  it.social.findOutcomes.push(fails('platform.unavailable'));
  await untilDue(it);
  expect(it.clock.now() > notAfter).toBe(true);
  await it.readBack();
  expect(await it.read()).toMatchObject({ status: 'unknown', error: { code: 'platform.unavailable' } });
  await untilDue(it);
  expect(await cancel()).toMatchObject({ failure: { code: 'post.already_published' } });
  await it.readBack();
  expect(await it.read()).toMatchObject({ status: 'published', attempts: 1 });
  expect(it.social.published).toHaveLength(1);
});
