import { describe, expect, test } from '@jest/globals';
import { memorySocial, type SimulatedOutcome } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { refuse } from '../failure.js';
import type { DeliveryId } from '../ids.js';
import { LEASE_SECONDS } from '../lease.js';
import { deliver, type DeliveryTask } from './deliver.js';
import { readBackDelivery } from './read-back-delivery.js';
import { recheckDelivery } from './recheck-delivery.js';
import { resolveDelivery } from './resolve-delivery.js';
import { settleDeliveries } from './settle-delivery.js';

const never = new AbortController().signal;

/** A delivery whose only attempt has an unknown outcome. */
async function unknown(took: boolean) {
  const social = memorySocial();
  const at = await createTestEnvironment([social]);
  const connection = await at.connect();
  const post = at.build.post(at.profile, [connection], {}, { notAfter: at.clock.after(21_600_000) });
  await at.repositories.posts.insert(post);
  const id = post.deliveries[0]?.id as DeliveryId;
  const work = { workspaceId: at.workspace.id, deliveryId: id };
  social.publishOutcomes.push({ takesEffect: took, response: 'platform.outcome_unknown' });
  await deliver(at.ports, work, never);
  const read = async () => {
    const delivery = await at.repositories.deliveries.find(at.workspace.id, id);
    if (!delivery) throw new Error('a delivery is gone');
    return delivery;
  };
  return {
    ...at,
    social,
    connection,
    read,
    deliver: () => deliver(at.ports, work, never),
    look: () => readBackDelivery(at.ports, work, never),
    untilDue: async () => {
      const dueMs = (await read()).nextAttemptAt?.getTime() ?? 0;
      at.clock.advance(Math.max(0, dueMs - at.clock.now().getTime()));
    },
    history: async () =>
      (await at.repositories.deliveries.listHistory(at.workspace.id, post.id)).map(
        ({ kind, outcome }) => `${kind} ${outcome}`,
      ),
    eventTypes: () => at.events().map(({ type }) => type),
  };
}

test('a published post is found and never sent again', async () => {
  const it = await unknown(true);
  await it.untilDue();
  await it.deliver();
  await it.look();
  expect(await it.read()).toMatchObject({
    status: 'published',
    attempts: 1,
    error: null,
    nextAttemptAt: null,
  });
  expect(it.social.published).toHaveLength(1);
  expect(await it.history()).toEqual(['attempt begun', 'attempt unknown', 'read_back published']);
  expect(it.eventTypes()).toEqual(['post.delivery_published', 'post.published']);
});

describe('a missing post', () => {
  test('is sent again only after it was missing twice, half a minute apart', async () => {
    const it = await unknown(false);
    await it.untilDue();
    const first = it.clock.now().getTime();
    await it.look();
    const once = await it.read();
    expect(once.status).toBe('unknown');
    expect((once.nextAttemptAt?.getTime() ?? 0) - first).toBeGreaterThanOrEqual(30_000);
    await it.untilDue();
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'retrying' });
    await it.untilDue();
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published', attempts: 2 });
    expect(it.social.published).toHaveLength(1);
    // The sweep finds each read-back and each retry when it is due: none needs a job (finding 82).
    expect(it.jobs()).toEqual([]);
  });

  test('does not count twice when two workers check at the same moment', async () => {
    const it = await unknown(false);
    await it.untilDue();
    await Promise.all([it.look(), it.look()]);
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'unknown' });
    await it.untilDue();
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'retrying' });
  });

  test('does not count twice when a failed check lies between', async () => {
    const it = await unknown(false);
    it.social.findOutcomes.push(
      { takesEffect: false, response: 'ok' },
      { takesEffect: false, response: 'platform.unavailable' },
    );
    for (let look = 0; look < 3; look++) {
      await it.untilDue();
      await it.look();
      expect(await it.read()).toMatchObject({ status: 'unknown' });
    }
    await it.untilDue();
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'retrying' });
  });

  test('that appears late is found', async () => {
    const it = await unknown(false);
    await it.untilDue();
    await it.look();
    it.social.published.push(`${(await it.read()).id}.0`);
    await it.untilDue();
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'published' });
    expect(it.social.published).toHaveLength(1);
  });

  test('is missed when there is no time left to send it', async () => {
    const it = await unknown(false);
    await it.untilDue();
    await it.look();
    it.clock.advance(21_600_000);
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'missed' });
    expect(it.social.published).toEqual([]);
  });
});

describe('a check that fails', () => {
  const response = (code: SimulatedOutcome['response'], retryAfterSeconds?: number): SimulatedOutcome => ({
    takesEffect: false,
    response: code,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

  test.each<SimulatedOutcome['response']>([
    'platform.unavailable',
    'platform.rate_limited',
    'platform.refused',
    'platform.invalid_response',
  ])('with %s is repeated later', async (code) => {
    const it = await unknown(true);
    it.social.findOutcomes.push(response(code, 100));
    await it.look();
    const delivery = await it.read();
    expect(delivery).toMatchObject({ status: 'unknown', error: { code } });
    await it.untilDue();
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'published' });
  });

  test('is repeated with growing delays, for no longer than a day: then a person decides', async () => {
    const it = await unknown(true);
    let looks = 0;
    while ((await it.read()).status === 'unknown') {
      it.social.findOutcomes.push(response('platform.unavailable'));
      await it.untilDue();
      await it.look();
      if (++looks > 200) throw new Error('it checks too often');
    }
    expect(await it.read()).toMatchObject({ status: 'needs_review' });
    expect(it.eventTypes()).toEqual(['post.delivery_failed', 'post.needs_review']);
  });

  test('counts as one, regardless of how many workers crashed during earlier checks', async () => {
    const it = await unknown(true);
    for (let death = 0; death < 8; death++) {
      await it.repositories.deliveries.claim('read_back', { id: (await it.read()).id }, LEASE_SECONDS);
      it.clock.advance(LEASE_SECONDS * 1000);
    }
    it.social.findOutcomes.push(response('platform.unavailable'));
    await it.look();
    const waitsMs = ((await it.read()).nextAttemptAt?.getTime() ?? 0) - it.clock.now().getTime();
    expect(Math.round(waitsMs / 1000)).toBe(30);
  });

  test('because the account owner denies read access requires a person at once', async () => {
    const it = await unknown(true);
    it.social.findOutcomes.push(response('platform.permission_missing'));
    await it.look();
    expect(await it.read()).toMatchObject({
      status: 'needs_review',
      error: { code: 'platform.permission_missing' },
    });
    expect(it.eventTypes()).toEqual(['post.delivery_failed', 'post.needs_review']);
  });

  test('because several posts match requires a person at once', async () => {
    const it = await unknown(true);
    it.social.findOutcomes.push(response('platform.outcome_unknown'));
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'needs_review' });
  });

  test('because of a bug leaves the outcome unknown, and the next check finds the post', async () => {
    const it = await unknown(true);
    it.social.findOutcomes.push(response('throws'));
    await expect(it.look()).rejects.toThrow('a bug in an adapter');
    expect(await it.read()).toMatchObject({ status: 'unknown' });
    it.clock.advance(91_000);
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'published' });
  });
});

test('an unknown outcome of a disconnected account requires a person', async () => {
  const it = await unknown(true);
  await it.repositories.connections.delete(it.workspace.id, it.connection.id);
  await it.look();
  expect(await it.read()).toMatchObject({
    status: 'needs_review',
    error: { code: 'platform.outcome_unknown' },
  });
});

test('an unknown outcome waits for its account to be reconnected, and is never sent meanwhile', async () => {
  const it = await unknown(true);
  it.doors.sessionResult = refuse('connection.needs_reauth', 'Connect it again.');
  await it.look();
  expect(await it.read()).toMatchObject({ status: 'unknown', error: { code: 'connection.needs_reauth' } });
  await it.untilDue();
  await it.deliver();
  it.doors.sessionResult = { ok: true, value: undefined };
  await it.look();
  expect(await it.read()).toMatchObject({ status: 'published' });
  expect(it.social.published).toHaveLength(1);
});

describe('a match of two posts with the same text', () => {
  /** Both on one account that identifies posts by their text alone, each sent and read back separately. */
  async function twins(texts: readonly [string, string] = ['Hello', 'Hello']) {
    const social = memorySocial({ matchesByText: true });
    const at = await createTestEnvironment([social]);
    const connection = await at.connect();
    const posts = texts.map((text) => {
      const notAfter = at.clock.after(21_600_000);
      return at.build.post(at.profile, [connection], {}, { notAfter, parts: [at.build.part({ text })] });
    });
    const works = posts.map(({ deliveries: [delivery] }) => {
      if (!delivery) throw new Error('a post without a delivery');
      return { workspaceId: at.workspace.id, deliveryId: delivery.id };
    });
    for (const post of posts) await at.repositories.posts.insert(post);
    const [lost, other] = works as [DeliveryTask, DeliveryTask];
    const read = async ({ deliveryId }: DeliveryTask) => {
      const delivery = await at.repositories.deliveries.find(at.workspace.id, deliveryId);
      if (!delivery) throw new Error('a delivery is gone');
      return delivery;
    };
    const send = (work: DeliveryTask) => deliver(at.ports, work, never);
    return {
      ...at,
      social,
      lost,
      other,
      read,
      send,
      losing: async (work: DeliveryTask, takesEffect: boolean) => {
        social.publishOutcomes.push({ takesEffect, response: 'platform.outcome_unknown' });
        await send(work);
      },
      look: (work: DeliveryTask) => readBackDelivery(at.ports, work, never),
      statuses: async () => [(await read(lost)).status, (await read(other)).status],
    };
  }

  test('is not assigned to the lost one when it is known to be the other’s: a person decides, and nothing is sent', async () => {
    const it = await twins();
    await it.losing(it.lost, false);
    await it.send(it.other);
    await it.look(it.lost);
    expect(await it.statuses()).toEqual(['needs_review', 'published']);
    expect(await it.read(it.lost)).toMatchObject({
      externalId: null,
      error: { code: 'platform.outcome_unknown' },
    });
    expect(it.social.published).toHaveLength(1);
  });

  test('requires a person when a person resolved the other as published', async () => {
    const it = await twins();
    await it.losing(it.other, true);
    const other = await it.read(it.other);
    const outcome = { outcome: 'published', note: 'Seen.' } as const;
    const resolved = await it.atomic((ports) =>
      resolveDelivery(ports, it.call(), { id: other.postId, deliveryId: other.id, ...outcome }),
    );
    expect(resolved.ok).toBe(true);
    await it.losing(it.lost, false);
    await it.look(it.lost);
    expect(await it.statuses()).toEqual(['needs_review', 'published']);
  });

  test('is not assigned while the other is being sent, whose response may name it', async () => {
    const it = await twins();
    await it.losing(it.lost, false);
    const meanwhile = async () => {
      // It is published, and its response is pending.
      it.social.published.push(`${it.other.deliveryId}.0`);
      it.social.texts.push('Hello');
      await it.look(it.lost);
      expect(await it.statuses()).toEqual(['unknown', 'sending']);
    };
    it.social.publishOutcomes.push({ takesEffect: false, response: 'ok', duringRequest: meanwhile });
    await it.send(it.other);
    expect(await it.read(it.lost)).toMatchObject({ error: { code: 'read_back.contested' } });
    it.clock.advance(30_000);
    await it.look(it.lost);
    expect(await it.statuses()).toEqual(['needs_review', 'published']);
  });

  test('is assigned while another with a different text is being sent', async () => {
    const it = await twins(['Hello', 'Goodbye']);
    await it.losing(it.lost, true);
    const meanwhile = () => it.look(it.lost);
    it.social.publishOutcomes.push({ takesEffect: true, response: 'ok', duringRequest: meanwhile });
    await it.send(it.other);
    expect(await it.statuses()).toEqual(['published', 'published']);
  });

  test('is assigned to only one when both have unknown outcomes and are read back concurrently', async () => {
    const it = await twins();
    await it.losing(it.lost, true);
    await it.losing(it.other, false);
    await Promise.all([it.look(it.lost), it.look(it.other)]);
    expect((await it.statuses()).sort()).toEqual(['needs_review', 'published']);
  });

  test('is assigned to only one when both are settled together', async () => {
    const it = await twins();
    await it.losing(it.lost, true);
    await it.losing(it.other, false);
    const parts = [it.build.part({ status: 'published', externalId: 'one' })];
    const progress = { parts, externalId: 'one', url: null, publishedAt: it.clock.now() };
    const both = await Promise.all([it.lost, it.other].map(it.read));
    const outcome = { kind: 'published', progress } as const;
    await settleDeliveries(
      it.ports,
      both.map((delivery) => ({ delivery, outcome })),
    );
    expect((await it.statuses()).sort()).toEqual(['needs_review', 'published']);
  });
});

test('a part with unknown outcome is not matched with another of its own thread with the same text', async () => {
  const social = memorySocial({ matchesByText: true });
  const at = await createTestEnvironment([social]);
  const connection = await at.connect();
  const parts = [at.build.part(), at.build.part({ index: 1, kind: 'thread' })];
  const post = at.build.post(at.profile, [connection], {}, { notAfter: at.clock.after(21_600_000), parts });
  await at.repositories.posts.insert(post);
  const work = { workspaceId: at.workspace.id, deliveryId: post.deliveries[0]?.id as DeliveryId };
  social.publishOutcomes.push(
    { takesEffect: true, response: 'ok' },
    { takesEffect: false, response: 'platform.outcome_unknown' },
  );
  await deliver(at.ports, work, never);
  await readBackDelivery(at.ports, work, never);
  expect(await at.repositories.deliveries.find(at.workspace.id, work.deliveryId)).toMatchObject({
    status: 'needs_review',
    parts: [{ status: 'published' }, { status: 'pending', externalId: null }],
  });
});

describe('finding 33: the number of read-backs', () => {
  test('is counted separately: claims by edits do not increase it', async () => {
    const it = await unknown(true);
    const before = await it.read();
    // The state after 200 edits before the attempt.
    const { id, epoch } = before;
    await it.repositories.deliveries.settle([{ id, epoch, changes: { epoch: epoch + 200 } }]);
    await it.untilDue();
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'published', attempts: 1 });
  });

  test('ends with a person’s review after 120, and restarts when a person requests a recheck', async () => {
    const it = await unknown(true);
    const { id, epoch } = await it.read();
    await it.repositories.deliveries.settle([{ id, epoch, changes: { readBacks: 120 } }]);
    await it.look();
    expect(await it.read()).toMatchObject({ status: 'needs_review', readBacks: 121 });
    const call = it.call();
    const { postId } = await it.read();
    expect(await recheckDelivery(it.ports, call, { id: postId, deliveryId: id })).toMatchObject({ ok: true });
    expect(await it.read()).toMatchObject({ status: 'published', readBacks: 1 });
  });
});
