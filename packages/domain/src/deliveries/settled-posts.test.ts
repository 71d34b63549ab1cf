import { describe, expect, test } from '@jest/globals';
import { memorySocial, type MemorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { deliver } from './deliver.js';
import { getPostHistory } from '../posts/get-post-history.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import { readBackDelivery } from './read-back-delivery.js';
import { recheckDelivery } from './recheck-delivery.js';
import { resolveDelivery, type ResolveDelivery } from './resolve-delivery.js';
import { retryPost, type RetryPost } from './retry-post.js';
import { unpublishPost, type UnpublishPost } from './unpublish-post.js';

const never = new AbortController().signal;

/** A post with a delivery in each of these states. */
async function scene(statuses: readonly DeliveryStatus[], socials: MemorySocial[] = [memorySocial()]) {
  const it = await createTestEnvironment(socials);
  const [social = memorySocial()] = socials;
  const connections = await Promise.all(
    statuses.map((_, at) => it.connect({ platform: (socials[at] ?? social).platform.manifest.id })),
  );
  const post = it.build.post(it.profile, connections, {}, { notAfter: it.clock.after(21_600_000) });
  const deliveries = post.deliveries.map((delivery, at): Delivery => {
    const status = statuses[at] ?? 'pending';
    const parts =
      status === 'published'
        ? [it.build.part({ status: 'published', externalId: `remote ${at}` })]
        : delivery.parts;
    return { ...delivery, status, parts, epoch: 1, attempts: 1 };
  });
  await it.repositories.posts.insert({ ...post, deliveries });
  const ids = deliveries.map(({ id }) => id);
  const find = async () => {
    const found = await it.repositories.posts.find(it.workspace.id, post.id);
    if (!found) throw new Error('a post is gone');
    return found;
  };
  const first = ids[0] ?? it.ids.next('dlv');
  return {
    ...it,
    social,
    post,
    ids,
    read: find,
    statuses: async () => (await find()).deliveries.map(({ status }) => status),
    retry: (command: Omit<RetryPost, 'id'> = {}) =>
      it.atomic((ports) => retryPost(ports, it.call(), { id: post.id, ...command })),
    unpublish: (command: Omit<UnpublishPost, 'id'> = {}) =>
      unpublishPost(it.ports, it.call(), { id: post.id, ...command }),
    recheck: (deliveryId: string = first) =>
      recheckDelivery(it.ports, it.call(), { id: post.id, deliveryId }),
    resolve: (decision: Partial<ResolveDelivery> = {}) =>
      it.atomic((ports) =>
        resolveDelivery(ports, it.call(), {
          id: post.id,
          deliveryId: first,
          outcome: 'published',
          note: 'I looked.',
          ...decision,
        }),
      ),
    deliver: (deliveryId = first) => deliver(it.ports, { workspaceId: it.workspace.id, deliveryId }, never),
    readBack: (deliveryId = first) =>
      readBackDelivery(it.ports, { workspaceId: it.workspace.id, deliveryId }, never),
    history: async () => {
      const history = await getPostHistory(it.ports, it.call(), { id: post.id });
      return history.ok ? history.value : [];
    },
    types: () => it.events().map(({ type }) => type),
  };
}

describe('retrying', () => {
  test('sends only failed and missed deliveries', async () => {
    const it = await scene(['failed', 'published', 'missed', 'unknown', 'cancelled']);
    expect(await it.retry()).toMatchObject({ ok: true });
    expect(await it.statuses()).toEqual(['pending', 'published', 'pending', 'unknown', 'cancelled']);
    expect(it.jobs().map(({ job }) => job)).toEqual([{ name: 'deliver', workspaceId: it.workspace.id }]);
    for (const id of it.ids) await it.deliver(id);
    expect(it.social.published).toEqual([`${it.ids[0]}.0`, `${it.ids[2]}.0`]);
    expect(await it.statuses()).toEqual(['published', 'published', 'published', 'unknown', 'cancelled']);
  });

  test('gives missed deliveries the publish window of a new post', async () => {
    const it = await scene(['missed']);
    it.clock.advance(3 * 86_400_000);
    await it.retry();
    await it.deliver();
    expect(await it.statuses()).toEqual(['published']);
  });

  test('twice has the effect of once', async () => {
    const it = await scene(['failed']);
    await it.retry();
    expect(await it.retry()).toMatchObject({ failure: { code: 'post.already_published' } });
    await Promise.all([it.deliver(), it.deliver()]);
    expect(it.social.published).toHaveLength(1);
  });

  test.each<DeliveryStatus>(['unknown', 'needs_review'])('is rejected for %s deliveries', async (status) => {
    const it = await scene([status, 'failed']);
    const refused = { failure: { code: 'post.outcome_unknown', next: { operation: 'recheckDelivery' } } };
    expect(await it.retry({ deliveryIds: [it.ids[0] ?? ''] })).toMatchObject(refused);
    expect(await (await scene([status])).retry()).toMatchObject(refused);
    expect(await it.statuses()).toEqual([status, 'failed']);
  });

  test('of a cancelled post is rejected as that (finding 53)', async () => {
    expect(await (await scene(['cancelled'])).retry()).toMatchObject({ failure: { code: 'post.cancelled' } });
  });

  test('is rejected when there is nothing to retry, or no such delivery', async () => {
    const it = await scene(['published']);
    expect(await it.retry()).toMatchObject({ failure: { code: 'post.already_published' } });
    expect(await it.retry({ deliveryIds: [it.ids.length ? it.post.id : ''] })).toMatchObject({
      failure: { code: 'delivery.not_found' },
    });
  });

  test('is rejected when the same content was posted anew meanwhile', async () => {
    const it = await scene(['failed']);
    const [failed] = (await it.read()).deliveries as [Delivery];
    const connection = await it.repositories.connections.find(it.workspace.id, failed.connectionId);
    if (!connection) throw new Error('no connection');
    const { contentDigest } = failed;
    const twin = it.build.post(it.profile, [connection], {}, { contentDigest, status: 'published' });
    await it.repositories.posts.insert(twin);
    expect(await it.retry()).toMatchObject({
      failure: { code: 'post.possible_duplicate', details: { id: twin.id } },
    });
    expect(await it.retry({ allowDuplicate: true })).toMatchObject({ ok: true });
  });
});

describe('resolving', () => {
  test.each<DeliveryStatus>(['unknown', 'needs_review'])(
    'sets a delivery that was %s to published',
    async (status) => {
      const it = await scene([status]);
      await it.resolve({ url: 'https://social.example/1' });
      expect((await it.read()).deliveries).toMatchObject([
        { status: 'published', url: 'https://social.example/1', publishedAt: expect.any(Date), error: null },
      ]);
      expect(await it.history()).toMatchObject([
        { kind: 'decision', outcome: 'published', note: 'I looked.', actor: expect.stringMatching(/^key_/) },
      ]);
      expect(it.types()).toEqual(['post.delivery_published', 'post.published']);
    },
  );

  test('as not published sets it to failed: it is sent again only by a retry', async () => {
    const it = await scene(['needs_review']);
    await it.resolve({ outcome: 'not_published' });
    await it.deliver();
    expect([await it.statuses(), it.social.published]).toEqual([['failed'], []]);
    expect(it.types()).toEqual(['post.delivery_failed', 'post.failed']);
    await it.retry();
    await it.deliver();
    expect(await it.statuses()).toEqual(['published']);
  });

  test('fences off a concurrent read-back', async () => {
    const it = await scene(['unknown']);
    it.social.findOutcomes.push({
      takesEffect: false,
      response: 'platform.outcome_unknown',
      duringRequest: () => it.resolve({ outcome: 'not_published' }),
    });
    await it.readBack();
    expect(await it.statuses()).toEqual(['failed']);
  });

  test.each<DeliveryStatus>(['pending', 'sending', 'published', 'failed', 'deleted'])(
    'is rejected for %s deliveries',
    async (status) => {
      const it = await scene([status]);
      expect(await it.resolve()).toMatchObject({ failure: { code: 'delivery.settled' } });
      expect(await it.statuses()).toEqual([status]);
    },
  );
});

describe('rechecking', () => {
  test.each<DeliveryStatus>(['unknown', 'needs_review'])(
    'finds a published delivery that was %s',
    async (status) => {
      const it = await scene([status]);
      it.social.published.push(`${it.ids[0]}.0`);
      expect(await it.recheck()).toMatchObject({ value: { deliveries: [{ status: 'published' }] } });
      expect((await it.history()).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
        'decision recheck',
        'read_back published',
      ]);
    },
  );

  test('does not send a missing post', async () => {
    const it = await scene(['needs_review']);
    await it.recheck();
    await it.recheck();
    await it.deliver();
    expect([await it.statuses(), it.social.published]).toEqual([['unknown'], []]);
  });

  test.each<DeliveryStatus>(['published', 'failed', 'pending'])(
    'leaves %s deliveries unchanged',
    async (status) => {
      const it = await scene([status]);
      await it.recheck();
      expect([await it.statuses(), await it.history()]).toEqual([[status], []]);
    },
  );

  test('leaves the decision to the person where no read-back is possible', async () => {
    const it = await scene(['needs_review'], [memorySocial({ readBack: false })]);
    await it.recheck();
    expect([await it.statuses(), it.types()]).toEqual([['needs_review'], []]);
  });

  test('does not find a delivery of another post', async () => {
    const it = await scene(['unknown']);
    expect(await it.recheck(it.ids.length ? it.post.id : '')).toMatchObject({
      failure: { code: 'delivery.not_found' },
    });
  });
});

describe('unpublishing', () => {
  test('deletes published deliveries, and the history names the actor', async () => {
    const it = await scene(['published', 'failed']);
    expect(await it.unpublish()).toMatchObject({ ok: true });
    expect(it.social.removed).toEqual(['remote 0']);
    expect(await it.statuses()).toEqual(['deleted', 'failed']);
    expect((await it.read()).deliveries[0]?.parts).toMatchObject([{ status: 'deleted' }]);
    expect((await it.history()).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'decision unpublish',
      'state deleted',
    ]);
  });

  test('emits post.updated while a delivery remains, and post.deleted with the last one', async () => {
    const it = await scene(['published', 'published']);
    const [first = ''] = (await it.read()).deliveries.map(({ id }) => id);
    await it.unpublish({ deliveryIds: [first] });
    expect(it.types()).toEqual(['post.updated']);
    await it.unpublish();
    expect(it.types()).toEqual(['post.updated', 'post.deleted']);
    expect(it.events().at(-1)?.data).toMatchObject({ status: 'deleted' });
    await it.unpublish();
    expect(it.types()).toHaveLength(2);
  });

  test('twice deletes once', async () => {
    const it = await scene(['published']);
    await it.unpublish();
    expect(await it.unpublish()).toMatchObject({ ok: true });
    expect(it.social.removed).toHaveLength(1);
  });

  test('without names deletes where possible, and rejects a named delivery that cannot be deleted before anything is sent', async () => {
    const socials = [memorySocial(), memorySocial({ id: 'keeps', unpublish: false })];
    const it = await scene(['published', 'published'], socials);
    expect(await it.unpublish({ deliveryIds: it.ids })).toMatchObject({
      failure: { code: 'post.unpublish_unsupported' },
    });
    expect(it.social.removed).toEqual([]);
    await it.unpublish();
    expect(await it.statuses()).toEqual(['deleted', 'published']);
    expect(await it.unpublish()).toMatchObject({ failure: { code: 'post.unpublish_unsupported' } });
  });

  test.each<DeliveryStatus>(['pending', 'unknown', 'failed'])(
    'is rejected for %s deliveries',
    async (status) => {
      const it = await scene([status]);
      expect(await it.unpublish()).toMatchObject({ failure: { code: 'post.unpublish_unsupported' } });
    },
  );

  test('that fails everywhere returns the failure, and may be repeated', async () => {
    const it = await scene(['published']);
    it.social.removeOutcomes.push({ takesEffect: true, response: 'platform.outcome_unknown' });
    expect(await it.unpublish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect((await it.read()).deliveries).toMatchObject([
      { status: 'published', error: { code: 'platform.outcome_unknown' } },
    ]);
    await it.unpublish();
    expect((await it.read()).deliveries).toMatchObject([{ status: 'deleted', error: null }]);
  });

  test('that fails on one account reports it there, and the others stay deleted', async () => {
    const socials = [memorySocial(), memorySocial({ id: 'other' })];
    const it = await scene(['published', 'published'], socials);
    socials[1]?.removeOutcomes.push({ takesEffect: false, response: 'platform.unavailable' });
    expect(await it.unpublish()).toMatchObject({
      value: {
        deliveries: [{ status: 'deleted' }, { status: 'published', error: { code: 'platform.unavailable' } }],
      },
    });
  });

  test('cannot delete a delivery that a person resolved as published without a URL', async () => {
    const it = await scene(['needs_review']);
    await it.resolve();
    expect(await it.unpublish()).toMatchObject({ failure: { code: 'post.unpublish_unsupported' } });
  });
});
