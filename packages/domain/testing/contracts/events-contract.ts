import { beforeEach, describe, expect, test } from '@jest/globals';
import type { EventType } from '../../src/events/event.js';
import type { ProfileId, WorkspaceId } from '../../src/ids.js';
import { type CreateStorage, type StorageWorld, useStorageWorld } from './storage-world.js';
import { opaqueEvent } from '../opaque-event.js';

/** The committed events of a workspace, as they are listed. */
export function eventsContract(make: CreateStorage): void {
  describe('Events', () => {
    const world = useStorageWorld(make, beforeEach);

    const append = (
      { id: workspaceId }: { readonly id: WorkspaceId },
      profileId: ProfileId | null,
      ...types: readonly EventType[]
    ) =>
      world.change(async (tx) => {
        for (const [index, type] of types.entries())
          await tx.events.append(opaqueEvent({ workspaceId, type, profileId, data: { index } }));
      });
    const read = async (
      after: string | null = null,
      limit = 100,
      filter: Parameters<StorageWorld['events']['list']>[1] = { reach: null },
    ) => {
      const page = await world.events.list(world.ours.workspace.id, filter, { after, limit });
      return { ...page, types: page.items.map(({ type }) => type) };
    };

    test('are listed oldest first, in the order of their transaction, with all that was appended', async () => {
      const { workspace, profile } = world.ours;
      await append(workspace, profile.id, 'post.scheduled', 'post.published');
      await append(workspace, null, 'key.created');
      await append(world.theirs.workspace, world.theirs.profile.id, 'post.failed');
      const { items, types, hasMore } = await read();
      expect([types, hasMore]).toEqual([['post.scheduled', 'post.published', 'key.created'], false]);
      expect(items[1]).toEqual({
        id: expect.stringMatching(/^evt_/),
        workspaceId: workspace.id,
        type: 'post.published',
        profileId: profile.id,
        data: { index: 1 },
        createdAt: expect.any(Date),
        sequence: expect.any(Number),
      });
    });

    test('a position continues after the last listed event, also at the end of the list', async () => {
      const { workspace, profile } = world.ours;
      await append(workspace, profile.id, 'post.scheduled', 'post.updated', 'post.published');
      const first = await read(null, 2);
      expect([first.types, first.hasMore]).toEqual([['post.scheduled', 'post.updated'], true]);
      const second = await read(first.position, 2);
      expect([second.types, second.hasMore]).toEqual([['post.published'], false]);
      const third = await read(second.position, 2);
      expect([third.types, third.hasMore]).toEqual([[], false]);
      await append(workspace, profile.id, 'post.failed');
      expect((await read(third.position)).types).toEqual(['post.failed']);
      expect((await read(second.position)).types).toEqual(['post.failed']);
    });

    test('the end is the position before the next event', async () => {
      const { workspace, profile } = world.ours;
      await append(workspace, profile.id, 'post.scheduled');
      const end = await world.events.findEnd();
      expect((await read(end)).types).toEqual([]);
      await append(workspace, profile.id, 'post.published');
      expect((await read(end)).types).toEqual(['post.published']);
    });

    test('are filtered by type and profile; a restricted reader gets none without a profile', async () => {
      const { workspace, profile } = world.ours;
      const other = world.build.profile(workspace);
      await world.insert(other);
      await append(workspace, profile.id, 'post.scheduled', 'post.published');
      await append(workspace, other.id, 'post.published');
      await append(workspace, null, 'key.created');
      expect((await read(null, 100, { reach: null, types: ['post.published'] })).types).toEqual([
        'post.published',
        'post.published',
      ]);
      expect((await read(null, 100, { reach: [profile.id] })).types).toEqual([
        'post.scheduled',
        'post.published',
      ]);
      expect((await read(null, 100, { reach: [] })).types).toEqual([]);
      const page = await read(null, 1, { reach: [other.id] });
      expect([page.types, page.hasMore]).toEqual([['post.published'], expect.any(Boolean)]);
    });
  });
}
