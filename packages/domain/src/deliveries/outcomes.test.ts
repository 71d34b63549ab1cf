import { describe, expect, test } from '@jest/globals';
import { memorySocial, type MemorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { deliver } from './deliver.js';
import type { Delivery } from './delivery.js';
import { readBackDelivery } from './read-back-delivery.js';

type PublishEnding = MemorySocial['publishOutcomes'][number];
const never = new AbortController().signal;
const response = (code: PublishEnding['response'], takesEffect = false): PublishEnding => ({
  response: code,
  takesEffect,
});

async function scene(readBack = true) {
  const social = memorySocial({ readBack });
  const it = await createTestEnvironment([social]);
  const connection = await it.connect();
  const post = it.build.post(it.profile, [connection], {}, { notAfter: it.clock.after(21_600_000) });
  await it.repositories.posts.insert(post);
  const [first] = post.deliveries as [Delivery];
  const work = { workspaceId: it.workspace.id, deliveryId: first.id };
  const read = async () => {
    const delivery = await it.repositories.deliveries.find(it.workspace.id, first.id);
    if (!delivery) throw new Error('a delivery is gone');
    return delivery;
  };
  /** Runs the worker when the next step is due, until `stop` aborts. Errors are logged. */
  const step = async (stop: AbortSignal = never) => {
    const { nextAttemptAt, status } = await read();
    it.clock.advance(Math.max(0, (nextAttemptAt?.getTime() ?? 0) - it.clock.now().getTime()));
    if (status === 'sending') it.clock.advance(91_000);
    const next = status === 'unknown' || status === 'sending' ? readBackDelivery : deliver;
    await next(it.ports, work, stop).catch(() => it.clock.advance(91_000));
    return (await read()).status;
  };
  return {
    ...it,
    social,
    connection,
    read,
    step,
    /** Runs steps until nothing is due. */
    untilSettled: async () => {
      for (let steps = 1; steps <= 1000; steps++) {
        const status = await step();
        if (!['pending', 'sending', 'retrying', 'unknown'].includes(status)) return { status, steps };
      }
      throw new Error('it never settles');
    },
  };
}

test('a post of a platform whose adapter is not installed waits, also one with an unknown outcome', async () => {
  const it = await scene();
  const { platforms } = it.ports;
  const absent = { ...it.ports, platforms: { ...platforms, find: () => null } };
  const { id, workspaceId } = await it.read();
  const work = { workspaceId, deliveryId: id };
  await deliver(absent, work, never);
  expect((await it.read()).status).toBe('retrying');
  it.social.publishOutcomes.push(response('platform.outcome_unknown', true));
  expect(await it.step()).toBe('unknown');
  it.clock.advance(91_000);
  await readBackDelivery(absent, work, never);
  expect((await it.read()).status).toBe('unknown');
  expect(await it.untilSettled()).toMatchObject({ status: 'published' });
});

describe('a platform that rejects duplicates', () => {
  test('accepted the post in an attempt with unknown outcome: it is found and published', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(
      { ...response('platform.outcome_unknown'), duringRequest: async () => undefined },
      response('platform.duplicate_content', true),
    );
    const seen: string[] = [];
    for (let steps = 0; steps < 5; steps++) seen.push(await it.step());
    expect(seen).toEqual(['unknown', 'unknown', 'retrying', 'unknown', 'published']);
    expect(it.social.published).toHaveLength(1);
  });

  test('already has the post at the first attempt: that is a failure', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(response('platform.duplicate_content'));
    expect(await it.step()).toBe('failed');
  });

  test('but never lists the post requires a person’s decision', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(
      response('platform.outcome_unknown'),
      ...Array.from({ length: 10 }, () => response('platform.duplicate_content')),
    );
    expect(await it.untilSettled()).toMatchObject({ status: 'needs_review' });
    expect((await it.read()).error?.code).toBe('platform.duplicate_content');
  });
});

describe('an adapter that always fails', () => {
  test('is called five times, then the post has failed, if a read-back shows that it is missing', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(...Array.from({ length: 50 }, () => response('throws')));
    expect(await it.untilSettled()).toMatchObject({ status: 'failed' });
    expect(await it.read()).toMatchObject({ attempts: 5, error: { code: 'read_back.absent' } });
  });

  test('also in the read-back is not called indefinitely: then a person decides', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(response('throws', true));
    const broken = { response: 'throws', takesEffect: false } as const;
    it.social.findOutcomes.push(...Array.from({ length: 500 }, () => broken));
    const { status, steps } = await it.untilSettled();
    expect(status).toBe('needs_review');
    expect(steps).toBeLessThan(200);
  });

  test('that never returns blocks nothing beyond its deadline, and its outcome is looked up', async () => {
    const it = await scene();
    it.social.publishOutcomes.push(response('hangs', true));
    expect(await it.step(AbortSignal.timeout(20))).toBe('unknown');
    it.social.findOutcomes.push({ response: 'hangs', takesEffect: false });
    expect(await it.step(AbortSignal.timeout(20))).toBe('unknown');
    expect(await it.step()).toBe('published');
    expect(it.social.published).toHaveLength(1);
  });
});

describe.each(['platform.unavailable', 'platform.rate_limited', 'platform.outcome_unknown'] as const)(
  'the requested delay of %s',
  (code) => {
    test.each<[number, number]>([
      [-1, 1],
      [0, 1],
      [Number.NaN, 1],
      [1e9, 86_400],
      [Number.POSITIVE_INFINITY, 86_400],
    ])('of %p s is clamped between a second and a day', async (asked, seconds) => {
      const it = await scene();
      it.social.publishOutcomes.push({ ...response(code), retryAfterSeconds: asked });
      await it.step();
      const { nextAttemptAt, status } = await it.read();
      // Nothing is sent again when the delay ends after the publish window.
      if (code !== 'platform.outcome_unknown' && seconds === 86_400) return expect(status).toBe('missed');
      const waitMs = (nextAttemptAt?.getTime() ?? 0) - it.clock.now().getTime();
      expect(waitMs).toBeGreaterThan(seconds * 1000 - 100);
      expect(waitMs).toBeLessThanOrEqual(Math.max(seconds, 5) * 1000);
    });
  },
);

test('an account that was moved to another profile does not get the post', async () => {
  const it = await scene();
  const other = it.build.profile(it.workspace);
  await it.repositories.profiles.insert(other);
  await it.repositories.connections.update(it.workspace.id, it.connection.id, { profileId: other.id });
  expect(await it.step()).toBe('failed');
  expect(await it.read()).toMatchObject({ error: { code: 'connection.not_found' } });
  expect(it.social.published).toEqual([]);
});
