import { beforeEach, describe, expect, test } from '@jest/globals';
import { TITLE_CHARACTERS } from '../../src/attention/attention.js';
import type { Connection } from '../../src/connections/connection.js';
import type { Delivery } from '../../src/deliveries/delivery.js';
import type { MediaId, ProfileId, WorkspaceId } from '../../src/ids.js';
import type { Post } from '../../src/posts/post.js';
import { readAll } from './records-contract.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const DAY_MS = 86_400_000;

/** Items that require a person are found in their storage. */
export function attentionContract(make: CreateStorage): void {
  describe('items that require a person', () => {
    const world = useStorageWorld(make, beforeEach);
    let other: Connection;
    beforeEach(async () => {
      const profile = world.build.profile(world.ours.workspace);
      other = world.build.connection(profile, { platform: 'sandbox_store' });
      await world.insert(profile, other);
    });

    async function stored(
      each: Partial<Delivery>,
      over: Partial<Post> = {},
      connections: readonly Connection[] = [world.ours.connection],
    ): Promise<Post> {
      const [first = other] = connections;
      const post = world.build.post({ ...first, id: first.profileId }, connections, over, each);
      await world.insert(post);
      return post;
    }
    const us = () => world.ours.workspace.id;
    const deliveryOf = ({ deliveries: [delivery] }: Post): Delivery => {
      if (!delivery) throw new Error('a post without a delivery');
      return delivery;
    };

    const accountsOf = ({ deliveries }: Post) =>
      deliveries.map(({ platform, account: { username, name } }) => ({ platform, username, name }));

    test('deliveries in review are listed newest first, each with its post, and no others', async () => {
      for (const status of ['unknown', 'failed', 'missed', 'published'] as const) await stored({ status });
      const text = '😀'.repeat(TITLE_CHARACTERS + 1);
      const older = await stored({ status: 'needs_review' }, { text });
      const newer = await stored({ status: 'needs_review' });
      await world.insert(
        world.build.post(world.theirs.profile, [world.theirs.connection], {}, { status: 'needs_review' }),
      );
      const listed = await readAll(1, (page) => world.deliveries.listInReview(us(), null, page));
      expect(listed.map(({ postId }) => postId)).toEqual([newer.id, older.id]);
      expect(listed[1]).toEqual({
        id: deliveryOf(older).id,
        postId: older.id,
        connectionId: world.ours.connection.id,
        account: deliveryOf(older).account,
        platform: 'sandbox_social',
        text: '😀'.repeat(TITLE_CHARACTERS),
        since: deliveryOf(older).scheduledAt,
      });
    });

    test('a delivery is in review since its last attempt or check', async () => {
      const { id, workspaceId, epoch } = deliveryOf(await stored({ status: 'needs_review' }));
      const attempt = { deliveryId: id, workspaceId, epoch, error: null, actor: null, note: null };
      const [first, last] = [world.clock.after(-5000), world.clock.after(-2000)];
      await world.deliveries.insertAttempts(
        { ...attempt, id: world.ids.next('att'), kind: 'read_back', outcome: 'needs_review', at: last },
        { ...attempt, id: world.ids.next('att'), kind: 'attempt', outcome: 'unknown', at: first },
      );
      const { items } = await world.deliveries.listInReview(us(), null, { limit: 1 });
      expect(items).toMatchObject([{ since: last }]);
    });

    test('missed deliveries of a post are grouped, newest post first, back to the requested time', async () => {
      const since = world.clock.after(-DAY_MS);
      await stored({ status: 'failed' });
      await stored({ status: 'missed', notAfter: world.clock.after(-2 * DAY_MS) });
      const late = { status: 'missed', notAfter: world.clock.after(-5000) } as const;
      const older = await stored(late, { text: 'Two of these' }, [world.ours.connection, other]);
      const newer = await stored(late);
      const listed = await readAll(1, (page) =>
        world.deliveries.listUnpublished(us(), 'missed', null, since, page),
      );
      expect(listed).toEqual([
        {
          id: newer.id,
          text: newer.text,
          timezone: newer.timezone,
          accounts: accountsOf(newer),
          occurrence: expect.any(Number) as unknown,
          codes: [],
          at: late.notAfter,
        },
        {
          id: older.id,
          text: 'Two of these',
          timezone: older.timezone,
          accounts: accountsOf(older),
          occurrence: expect.any(Number) as unknown,
          codes: [],
          at: late.notAfter,
        },
      ]);
    });

    test('failed posts are listed with their errors, back to the requested time (finding 47)', async () => {
      const error = { code: 'platform.refused', message: 'Refused.' } as const;
      const failed = { status: 'failed', error } as const;
      await stored({ ...failed, notAfter: world.clock.after(-2 * DAY_MS) });
      const post = await stored(failed);
      await stored({ status: 'missed' });
      const since = world.clock.after(-DAY_MS);
      const { items } = await world.deliveries.listUnpublished(us(), 'failed', null, since, { limit: 10 });
      expect(items).toEqual([
        {
          id: post.id,
          text: post.text,
          timezone: post.timezone,
          accounts: accountsOf(post),
          occurrence: expect.any(Number) as unknown,
          codes: ['platform.refused'],
          at: post.scheduledAt,
        },
      ]);
    });

    test('media that failed is recorded in the unsent deliveries that use it, and only there (finding 40)', async () => {
      const { workspace, profile } = world.ours;
      const [broken, fine] = [world.build.fetched(workspace), world.build.fetched(workspace)];
      for (const media of [broken, fine]) await world.media.insert(media);
      const using = async (media: { id: MediaId }, over: Partial<Delivery> = {}) => {
        const part = world.build.part({ media: [{ mediaId: media.id, url: null, altText: null }] });
        const post = await stored({ parts: [part], ...over });
        await world.media.setUses(us(), post.id, [media.id]);
        return post;
      };
      const scheduledAt = world.clock.after(DAY_MS);
      const post = await using(broken, { scheduledAt, notAfter: world.clock.after(2 * DAY_MS) });
      const others = [await using(broken, { status: 'published' }), await using(fine), await stored({})];
      const error = { code: 'media.failed', message: 'The server responded with status 404.' } as const;
      const record = (workspaceId: WorkspaceId) =>
        world.deliveries.recordMediaFailure(workspaceId, broken.id, error);
      expect(await record(world.theirs.workspace.id)).toEqual([]);
      expect(await record(us())).toEqual([
        { id: deliveryOf(post).id, postId: post.id, profileId: profile.id },
      ]);
      expect(await world.deliveries.find(us(), deliveryOf(post).id)).toMatchObject({
        status: 'pending',
        error,
      });
      for (const other of others) {
        expect(await world.deliveries.find(us(), deliveryOf(other).id)).toMatchObject({ error: null });
      }
      const listed = (reach: readonly ProfileId[] | null) =>
        world.deliveries.listUnpublished(us(), 'media_failed', reach, new Date(0), { limit: 10 });
      expect((await listed([profile.id])).items).toEqual([
        {
          id: post.id,
          text: post.text,
          timezone: post.timezone,
          accounts: accountsOf(post),
          occurrence: expect.any(Number) as unknown,
          codes: ['media.failed'],
          at: scheduledAt,
        },
      ]);
      expect((await listed([])).items).toEqual([]);
    });

    test('missed deliveries of a deleted account are skipped, and those in review are not', async () => {
      const notAfter = world.clock.after(-5000);
      await stored({ status: 'missed', notAfter }, {}, [other]);
      const doubtful = await stored({ status: 'needs_review' }, {}, [other]);
      await world.connections.delete(us(), other.id);
      const since = world.clock.after(-DAY_MS);
      expect(
        (await world.deliveries.listUnpublished(us(), 'missed', null, since, { limit: 10 })).items,
      ).toEqual([]);
      expect((await world.deliveries.listInReview(us(), null, { limit: 10 })).items).toMatchObject([
        { postId: doubtful.id },
      ]);
    });

    test('a reach excludes the posts and the platforms of other profiles', async () => {
      const reach = [other.profileId];
      const since = world.clock.after(-DAY_MS);
      const missed = { status: 'missed', notAfter: world.clock.after(-5000) } as const;
      await stored(missed);
      await stored({ status: 'needs_review' });
      const mine = [await stored(missed, {}, [other]), await stored({ status: 'needs_review' }, {}, [other])];
      const all = { limit: 10 };
      const listed = [
        ...(await world.deliveries.listUnpublished(us(), 'missed', reach, since, all)).items.map(
          ({ id }) => id,
        ),
        ...(await world.deliveries.listInReview(us(), reach, all)).items.map(({ postId }) => postId),
      ];
      expect(listed).toEqual(mine.map(({ id }) => id));
      expect(await world.deliveries.listInReview(us(), [], all)).toEqual({ items: [] });
      expect(await world.deliveries.listUnpublished(us(), 'missed', [], since, all)).toEqual({ items: [] });
      const platforms = ['sandbox_social', 'sandbox_store', 'bluesky'];
      expect([...(await world.connections.listPlatforms(us(), null, platforms))].sort()).toEqual([
        'sandbox_social',
        'sandbox_store',
      ]);
      expect(await world.connections.listPlatforms(us(), reach, platforms)).toEqual(['sandbox_store']);
      expect(await world.connections.listPlatforms(us(), reach, ['sandbox_social'])).toEqual([]);
    });
  });
}
