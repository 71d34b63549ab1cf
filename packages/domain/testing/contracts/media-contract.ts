import { describe, expect, test } from '@jest/globals';
import type { WorkspaceId } from '../../src/ids.js';
import { expiresAt, type Media } from '../../src/media/media.js';
import type { NewMedia } from '../../src/ports/index.js';
import type { Post } from '../../src/posts/post.js';
import { readAll } from './records-contract.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const DAY_MS = 86_400_000;

/** Stored media: visibility, uploads, uses and expiry. */
export function mediaContract(make: CreateStorage): void {
  describe('stored media', () => {
    const world = useStorageWorld(make);

    const read = (media: NewMedia): Media => ({ ...media, attempts: 0, inUse: false, lastUsedAt: null });
    async function stored(media: NewMedia): Promise<NewMedia> {
      await world.media.insert(media);
      return media;
    }
    async function post(media: readonly NewMedia[], over: Partial<Post> = {}): Promise<Post> {
      const item = world.build.post(world.ours.profile, over.draft ? [] : [world.ours.connection], over);
      await world.posts.insert(item);
      await world.media.setUses(
        item.workspaceId,
        item.id,
        media.map(({ id }) => id),
      );
      return item;
    }
    const ours = () => world.ours.workspace;
    const find = ({ workspaceId, id }: NewMedia) => world.media.find(workspaceId, id);
    const claim = ({ workspaceId, id }: NewMedia, leaseSeconds = 60) =>
      world.media.claim(workspaceId, id, leaseSeconds);
    const anyRoom = { limit: 1000, perWorkspace: 1000, inProgress: new Map<WorkspaceId, number>() };
    const idsToFetch = async () => (await world.media.listToFetch(anyRoom)).map(({ id }) => id);
    const remove = ({ workspaceId, id }: NewMedia) => world.media.delete(workspaceId, id);

    test('is returned as it was stored', async () => {
      const { build } = world;
      const video = build.file({ type: 'video/mp4', durationSeconds: 12.5, bytes: 1024 ** 3 });
      const report = build.file({ type: 'application/pdf', width: null, height: null });
      for (const media of [
        build.media(ours()),
        build.media(ours(), { file: report }),
        build.media(ours(), { altText: null, file: video }),
        build.fetched(ours()),
        build.media(ours(), {
          source: 'put',
          status: 'processing',
          file: null,
          declared: { type: 'video/mp4', bytes: 1024 ** 3 },
        }),
        build.media(ours(), {
          status: 'failed',
          file: null,
          error: { code: 'media.unreadable', message: 'No.' },
        }),
      ]) {
        await stored(media);
        expect(await find(media)).toEqual(read(media));
      }
    });

    test('of another workspace is not found, claimed, used or deleted', async () => {
      const theirs = await stored(world.build.fetched(world.theirs.workspace));
      const foreign = { ...theirs, workspaceId: ours().id };
      expect(await find(foreign)).toBeNull();
      expect(await world.media.findMany(ours().id, [theirs.id])).toEqual([]);
      expect(await claim(foreign)).toBeNull();
      expect(await remove(foreign)).toEqual({ kind: 'missing' });
      await expect(post([theirs])).rejects.toThrow();
      expect(await find(theirs)).toEqual(read(theirs));
      const { items } = await world.media.list(ours().id, { lineage: null }, { limit: 100 });
      expect(items.map(({ id }) => id)).not.toContain(theirs.id);
    });

    test('is listed newest first, all of it or that of one family of keys', async () => {
      const workspace = world.build.workspace();
      await world.insert(workspace);
      const made: NewMedia[] = [];
      for (const lineage of ['a', 'b', 'a', 'b', 'b'])
        made.push(await stored(world.build.media(workspace, { lineage })));
      const newest = made.map(read).reverse();
      const list = (lineage: string | null, limit: number) =>
        readAll(limit, (page) => world.media.list(workspace.id, { lineage }, page));
      expect(await list(null, 2)).toEqual(newest);
      expect(await list('b', 2)).toEqual(newest.filter(({ lineage }) => lineage === 'b'));
      const [first, , third] = made as [NewMedia, NewMedia, NewMedia];
      const found = await world.media.findMany(workspace.id, [first.id, third.id]);
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set([first.id, third.id]));
    });

    test('stays claimed while its latest attempt extends the lease, and not by an earlier attempt', async () => {
      const media = await stored(world.build.fetched(ours()));
      const extend = (attempt: number) => world.media.extendLease(media.workspaceId, media.id, attempt, 60);
      expect(await extend(1)).toBe(false);
      await claim(media, 0);
      expect(await extend(1)).toBe(true);
      expect(await claim(media)).toBeNull();
      await world.media.postpone(media.workspaceId, media.id, 1, 0);
      expect(await extend(1)).toBe(false);
      await world.clock.sleep(5);
      await claim(media);
      expect(await extend(1)).toBe(false);
      expect(await extend(2)).toBe(true);
    });

    test('is claimed by one process at a time, until it settles', async () => {
      const media = await stored(world.build.fetched(ours()));
      expect(await idsToFetch()).toContain(media.id);
      expect((await claim(media))?.attempts).toBe(1);
      expect(await idsToFetch()).not.toContain(media.id);
      expect(await claim(media)).toBeNull();
      const file = world.build.file();
      const settle = () => world.media.settle(media.workspaceId, media.id, 1, { file });
      expect(await settle()).toBe(true);
      expect(await settle()).toBe(false);
      expect(await find(media)).toMatchObject({ status: 'ready', file });
      expect(await claim(media)).toBeNull();
      expect(await idsToFetch()).not.toContain(media.id);
    });

    test('that another process has claimed is not settled by the earlier one', async () => {
      const media = await stored(world.build.fetched(ours()));
      await claim(media, 0);
      await world.clock.sleep(5);
      expect((await claim(media))?.attempts).toBe(2);
      const late = { file: world.build.file() };
      const { workspaceId, id } = media;
      expect(await world.media.settle(workspaceId, id, 1, late)).toBe(false);
      await world.media.postpone(workspaceId, id, 1, 0);
      expect(await claim(media)).toBeNull();
      const error = { code: 'media.fetch_failed', message: 'It is not there.' } as const;
      expect(await world.media.settle(workspaceId, id, 2, { error })).toBe(true);
      expect(await find(media)).toMatchObject({ status: 'failed', file: null, error });
    });

    test('that was postponed is claimed again when it is due', async () => {
      const media = await stored(world.build.fetched(ours()));
      const postpone = (attempt: number, inSeconds: number) =>
        world.media.postpone(media.workspaceId, media.id, attempt, inSeconds);
      await claim(media);
      await postpone(1, 0);
      await world.clock.sleep(5);
      expect((await claim(media))?.attempts).toBe(2);
      await postpone(2, 60);
      expect(await claim(media)).toBeNull();
      expect(await idsToFetch()).not.toContain(media.id);
    });

    test('is downloaded round-robin over workspaces: a workspace waits for at most one item of another', async () => {
      const workspaces = [world.build.workspace(), world.build.workspace(), world.build.workspace()] as const;
      const names = new Map(workspaces.map(({ id }, index) => [id, 'abc'[index] ?? '']));
      await world.insert(...workspaces);
      const [a, b, c] = workspaces;
      const since = world.clock.after(-60_000);
      for (const [workspace, count] of [
        [a, 6],
        [b, 1],
        [c, 3],
      ] as const)
        for (let nth = 0; nth < count; nth++)
          await stored(world.build.fetched(workspace, { createdAt: since }));
      const list = async (over: Partial<typeof anyRoom>) => {
        const found = await world.media.listToFetch({ ...anyRoom, ...over });
        return found.map(({ workspaceId }) => names.get(workspaceId) ?? '').join('');
      };
      const sorted = (text: string) => [...text].sort().join('');
      const all = await list({});
      expect([0, 3, 5, 7].map((at, nth, cuts) => sorted(all.slice(at, cuts[nth + 1])))).toEqual([
        'abc',
        'ac',
        'ac',
        'aaa',
      ]);
      expect(sorted(await list({ perWorkspace: 2 }))).toBe('aabcc');
      expect(await world.media.listToFetch({ ...anyRoom, limit: 3 })).toHaveLength(3);
      expect(await list({ limit: 2, inProgress: new Map([[a.id, 1]]) })).not.toContain('a');
      expect(
        sorted(
          await list({
            perWorkspace: 2,
            inProgress: new Map([
              [a.id, 2],
              [c.id, 1],
            ]),
          }),
        ),
      ).toBe('bc');
      const due = (await world.media.listToFetch(anyRoom)).filter(({ workspaceId }) =>
        names.has(workspaceId),
      );
      for (const { dueAt } of due) expect(dueAt).toEqual(since);
    });

    test('is limited in number per workspace while it waits for download, also with concurrent requests', async () => {
      const [busy, other] = [world.build.workspace(), world.build.workspace()];
      await world.insert(busy, other);
      const before = await world.media.countToFetch();
      const add = (workspace = busy) => world.media.insertToFetch(world.build.fetched(workspace), 5);
      const added = await Promise.all(Array.from({ length: 12 }, () => add()));
      expect(added.filter(Boolean)).toHaveLength(5);
      expect(await world.media.countToFetch()).toBe(before + 5);
      expect(await add(other)).toBe(true);
      const { items } = await world.media.list(busy.id, { lineage: null }, { limit: 100 });
      expect(items).toHaveLength(5);
      const [one, two] = items as [Media, Media];
      await claim(one);
      expect(await add()).toBe(false);
      const error = { code: 'media.fetch_failed', message: 'It is not there.' } as const;
      await world.media.settle(busy.id, one.id, 1, { error });
      expect(await add()).toBe(true);
      await claim(two);
      await world.media.postpone(busy.id, two.id, 1, 600);
      expect(await add()).toBe(false);
    });

    test('that was announced is not downloaded', async () => {
      const media = await stored(
        world.build.media(ours(), {
          source: 'put',
          status: 'processing',
          file: null,
          declared: { type: 'image/png', bytes: 1 },
        }),
      );
      expect(await idsToFetch()).not.toContain(media.id);
      expect((await claim(media))?.attempts).toBe(1);
    });

    test('is kept while a post or a draft uses it, and thirty days after', async () => {
      const [waited, drafted, done] = [
        await stored(world.build.media(ours())),
        await stored(world.build.media(ours())),
        await stored(world.build.media(ours())),
      ];
      await post([waited, waited]);
      await post([drafted], { draft: true });
      const updatedAt = world.clock.now();
      const settled = world.build.post(
        world.ours.profile,
        [world.ours.connection],
        { updatedAt },
        { status: 'published' },
      );
      await world.posts.insert(settled);
      await world.media.setUses(settled.workspaceId, settled.id, [done.id]);
      for (const used of [waited, drafted]) {
        const found = (await find(used)) as Media;
        expect(found.inUse).toBe(true);
        expect(expiresAt(found)).toBeNull();
        expect(await remove(used)).toEqual({ kind: 'in_use' });
      }
      const found = (await find(done)) as Media;
      expect(found).toMatchObject({ inUse: false, lastUsedAt: updatedAt });
      expect(expiresAt(found)?.getTime()).toBe(updatedAt.getTime() + 30 * DAY_MS);
      expect(await remove(done)).toEqual({ kind: 'removed', file: done.file?.name });
      expect(await find(done)).toBeNull();
      expect(await remove(done)).toEqual({ kind: 'missing' });
    });

    test('that a post no longer uses is released', async () => {
      const [old, kept] = [await stored(world.build.media(ours())), await stored(world.build.media(ours()))];
      const { workspaceId, id } = await post([old, kept]);
      await world.media.setUses(workspaceId, id, [kept.id]);
      expect((await find(old))?.inUse).toBe(false);
      expect((await find(kept))?.inUse).toBe(true);
      await world.media.setUses(workspaceId, id, []);
      expect((await find(kept))?.inUse).toBe(false);
    });

    test('unused for thirty days is deleted, and its files are returned', async () => {
      const old = { createdAt: world.clock.after(-31 * DAY_MS) };
      const [unused, used, usedLately, young, failed] = [
        await stored(world.build.media(ours(), old)),
        await stored(world.build.media(ours(), old)),
        await stored(world.build.media(ours(), old)),
        await stored(world.build.media(ours(), { createdAt: world.clock.after(-29 * DAY_MS) })),
        await stored(
          world.build.media(ours(), {
            ...old,
            status: 'failed',
            file: null,
            error: { code: 'media.unreadable', message: 'b' },
          }),
        ),
      ];
      await post([used]);
      const published = world.build.post(
        world.ours.profile,
        [world.ours.connection],
        { updatedAt: world.clock.after(-29 * DAY_MS) },
        { status: 'published' },
      );
      await world.posts.insert(published);
      await world.media.setUses(published.workspaceId, published.id, [usedLately.id]);
      const known = [unused, used].map(({ file }) => file?.name ?? '');
      expect(await world.media.findFiles([...known, 'unknown file'])).toEqual(new Set(known));
      expect(await world.media.deleteExpired(100)).toEqual([unused.file?.name]);
      expect(await find(unused)).toBeNull();
      expect(await find(failed)).toBeNull();
      for (const kept of [used, usedLately, young]) expect(await find(kept)).not.toBeNull();
      expect(await world.media.deleteExpired(100)).toEqual([]);
    });

    test('whose announced bytes did not arrive within the hour has failed', async () => {
      const announced = (createdAt: Date) =>
        stored(
          world.build.media(ours(), {
            source: 'put',
            status: 'processing',
            file: null,
            declared: { type: 'image/png', bytes: 1 },
            createdAt,
          }),
        );
      const late = await announced(world.clock.after(-3_601_000));
      const coming = await announced(world.clock.after(-3_601_000));
      const young = await announced(world.clock.after(-3_500_000));
      await claim(coming);
      const failed = await world.media.failExpiredUploads();
      expect(failed.filter((one) => one.workspaceId === ours().id)).toEqual([
        { id: late.id, workspaceId: ours().id },
      ]);
      expect(await find(late)).toMatchObject({
        status: 'failed',
        error: { code: 'media.upload_expired' },
      });
      for (const kept of [coming, young]) expect((await find(kept))?.status).toBe('processing');
    });

    test('keeps the first store id', async () => {
      expect(await world.mediaStores.find()).toBeNull();
      expect(await world.mediaStores.insert('first')).toBe('first');
      expect(await world.mediaStores.insert('second')).toBe('first');
      expect(await world.mediaStores.find()).toBe('first');
    });
  });
}
