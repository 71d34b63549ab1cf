import { describe, expect, test } from '@jest/globals';
import type { Delivery } from '../../src/deliveries/delivery.js';
import type { PostFilter } from '../../src/ports/index.js';
import type { Post } from '../../src/posts/post.js';
import { readAll } from './records-contract.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function postRewriteContract(make: CreateStorage): void {
  describe('Posts that are edited', () => {
    const world = useStorageWorld(make);

    async function stored(count: number, over: Partial<Post> = {}): Promise<Post> {
      const connections = Array.from({ length: count }, () => world.build.connection(world.ours.profile));
      const post = world.build.post(world.ours.profile, connections, over);
      await world.insert(...connections, post);
      return post;
    }
    const find = ({ workspaceId, id }: Post) => world.posts.find(workspaceId, id);
    const lock = ({ workspaceId, id }: Post) => world.posts.lock(workspaceId, id);
    const rewrite = (post: Post) =>
      world.change(async (tx) => {
        await tx.posts.lock(post.workspaceId, post.id);
        await tx.posts.rewrite(post);
      });

    test('a locked post is read unchanged, and only in its own workspace', async () => {
      const post = await stored(2);
      expect(await lock(post)).toEqual(post);
      expect(await lock({ ...post, workspaceId: world.theirs.workspace.id })).toBeNull();
    });

    test('rewriting stores everything except the creation fields, and increments version and epoch', async () => {
      const post = await stored(1);
      const [delivery] = post.deliveries as [Delivery];
      const changed: Post = {
        ...post,
        text: 'New',
        link: 'https://example.com',
        scheduledAt: world.clock.after(3_600_000),
        notAfter: world.clock.after(7_200_000),
        timezone: 'Europe/Madrid',
        requested: {
          targets: [{ platform: 'sandbox_social', text: 'Own' }],
          scheduledAt: null,
          notAfter: null,
        },
        externalId: 'mine',
        metadata: { campaign: 'spring' },
        skipped: [{ connectionId: delivery.connectionId, platform: 'x', status: 'needs_reauth' }],
        deliveries: [
          {
            ...delivery,
            parts: [world.build.part({ text: 'Own' })],
            options: { visibility: 'unlisted' },
            contentDigest: 'new',
          },
        ],
      };
      await rewrite({
        ...changed,
        createdBy: 'another key',
        createdAt: world.clock.after(-99_000),
        version: 77,
      });
      const after = await find(post);
      expect(after).toEqual({
        ...changed,
        version: 2,
        updatedAt: expect.any(Date),
        deliveries: [{ ...changed.deliveries[0], epoch: 1 }],
      });
    });

    test('an omitted delivery is deleted with its history, a new one is added, and the given order is kept', async () => {
      const post = await stored(3);
      const [one, two, three] = post.deliveries as [Delivery, Delivery, Delivery];
      const entry = {
        deliveryId: two.id,
        workspaceId: two.workspaceId,
        epoch: 1,
        kind: 'attempt',
        outcome: 'blocked',
        error: null,
        actor: null,
        note: null,
        at: world.clock.now(),
      } as const;
      const kept = { ...entry, id: world.ids.next('att'), deliveryId: one.id };
      const connection = world.build.connection(world.ours.profile);
      const fresh = world.build.delivery(connection, { postId: post.id });
      await world.connections.insert(connection);
      for (const each of [kept, { ...entry, id: world.ids.next('att') }])
        await world.deliveries.insertAttempts(each);
      await rewrite({ ...post, deliveries: [three, fresh, one] });
      expect((await find(post))?.deliveries.map(({ id }) => id)).toEqual([three.id, fresh.id, one.id]);
      expect(await world.deliveries.find(two.workspaceId, two.id)).toBeNull();
      expect(await world.deliveries.listHistory(post.workspaceId, post.id)).toEqual([kept]);
    });

    test('a worker that claimed a rewritten delivery can no longer write', async () => {
      const post = await stored(1);
      const [{ id }] = post.deliveries as [Delivery];
      const [claimed] = await world.deliveries.claim('deliver', { id }, 30);
      await rewrite(post);
      const settled = await world.deliveries.settle([
        { id, epoch: claimed?.delivery.epoch ?? -1, changes: { status: 'published' } },
      ]);
      expect(settled).toEqual(new Set());
      expect(await find(post)).toMatchObject({ deliveries: [{ status: 'pending' }] });
    });

    test('a locked post is not claimed, and a later claim returns what was written', async () => {
      const post = await stored(1);
      const [delivery] = post.deliveries as [Delivery];
      let claim: Promise<Delivery | null> = Promise.resolve(null);
      const order: string[] = [];
      await world.change(async (tx) => {
        await tx.posts.lock(post.workspaceId, post.id);
        claim = world
          .change((other) => other.deliveries.claim('deliver', { id: delivery.id }, 30))
          .then(([one]) => one?.delivery ?? null)
          .then((claimed) => (order.push('claimed'), claimed));
        await world.clock.sleep(50);
        await tx.posts.rewrite({
          ...post,
          deliveries: [{ ...delivery, parts: [world.build.part({ text: 'New' })] }],
        });
        order.push('written');
      });
      expect(await claim).toMatchObject({ parts: [{ text: 'New' }], status: 'sending' });
      expect(order).toEqual(['written', 'claimed']);
    });

    test('of twenty concurrent edits each sees what the previous one wrote', async () => {
      const post = await stored(2);
      await Promise.all(
        Array.from({ length: 20 }, () =>
          world.change(async (tx) => {
            const held = await tx.posts.lock(post.workspaceId, post.id);
            if (held) await tx.posts.rewrite({ ...held, text: `${held.text}.` });
          }),
        ),
      );
      expect(await find(post)).toMatchObject({ text: `${post.text}${'.'.repeat(20)}`, version: 21 });
    });

    test('a concurrent edit and settlement do not deadlock', async () => {
      const posts = await Promise.all(Array.from({ length: 5 }, () => stored(2)));
      await Promise.all(
        posts.flatMap((post) => [
          ...post.deliveries.map(({ id }) =>
            world.deliveries.settle([{ id, epoch: 0, changes: { status: 'blocked' } }]),
          ),
          rewrite(post),
        ]),
      );
      for (const post of posts) expect((await find(post))?.version).toBeGreaterThan(1);
    });

    test('a draft is a draft in lists, regardless of its deliveries, and is never due', async () => {
      const draft = await stored(0, { draft: true });
      const filter: PostFilter = { reach: null, sort: '-created_at', statuses: ['draft'] };
      const drafts = await readAll(3, (page) => world.posts.list(draft.workspaceId, filter, page));
      expect(drafts.map(({ id }) => id)).toEqual([draft.id]);
      await rewrite({ ...draft, draft: false });
      expect((await world.posts.list(draft.workspaceId, filter, { limit: 9 })).items).toEqual([]);
      const cancelled = await world.posts.list(
        draft.workspaceId,
        { ...filter, statuses: ['cancelled'] },
        { limit: 9 },
      );
      expect(cancelled.items.map(({ id }) => id)).toEqual([draft.id]);
    });

    test('a list is filtered by metadata: every key with exactly its value', async () => {
      const metadata = { campaign: "spring's", 'a.b': '1' };
      const wanted = await stored(0, { metadata: { ...metadata, more: 'x' } });
      await stored(0, { metadata: { campaign: "spring's" } });
      await stored(0, { metadata: { ...metadata, campaign: 'summer' } });
      const list = async (by: Record<string, string>) => {
        const filter: PostFilter = { reach: null, sort: '-created_at', metadata: by };
        return (await world.posts.list(wanted.workspaceId, filter, { limit: 9 })).items.map(({ id }) => id);
      };
      expect(await list(metadata)).toEqual([wanted.id]);
      expect(await list({ ...metadata, constructor: 'x' })).toEqual([]);
    });

    test('a post is not a duplicate of itself', async () => {
      const post = await stored(1);
      const [{ connectionId, contentDigest, scheduledAt }] = post.deliveries as [Delivery];
      const duplicate = (except?: Post['id']) =>
        world.change((tx) =>
          tx.posts.findDuplicate(post.workspaceId, connectionId, contentDigest, scheduledAt, except),
        );
      expect([await duplicate(), await duplicate(post.id)]).toEqual([post.id, null]);
    });
  });
}
