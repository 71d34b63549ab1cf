import { describe, expect, test } from '@jest/globals';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function postingQueuesContract(make: CreateStorage): void {
  describe('PostingQueues', () => {
    const world = useStorageWorld(make);

    test('a queue is created, replaced by its version, and found in its workspace only', async () => {
      const { workspaceId, id: profileId } = world.ours.profile;
      const queue = { workspaceId, profileId, timezone: 'Europe/Madrid', slots: [] };
      const slots = [{ weekday: 'monday', time: '09:00' }] as const;
      expect(await world.postingQueues.find(workspaceId, profileId)).toBeNull();
      await world.change(async (tx) => {
        expect(await tx.postingQueues.save(queue, 1)).toBeNull();
        expect(await tx.postingQueues.save(queue, 0)).toEqual({ ...queue, version: 1 });
        expect(await tx.postingQueues.save({ ...queue, slots }, 1)).toEqual({ ...queue, slots, version: 2 });
        expect(await tx.postingQueues.save(queue, 1)).toBeNull();
      });
      expect(await world.postingQueues.find(workspaceId, profileId)).toEqual({ ...queue, slots, version: 2 });
      expect(await world.postingQueues.find(world.theirs.profile.workspaceId, profileId)).toBeNull();
    });

    test('coming slots are listed ascending until their posts end, or all are released', async () => {
      const profile = world.build.profile(world.ours.workspace);
      const { workspaceId, id: profileId } = profile;
      const connection = world.build.connection(profile);
      const [past, soon, later, cancelled] = [-1000, 60_000, 120_000, 180_000].map((ms) =>
        world.build.post(profile, [connection], { queueSlot: world.clock.after(ms) }),
      );
      const listed = async () =>
        (await world.postingQueues.listClaimed(workspaceId, profileId)).map(({ postId }) => postId);
      await world.insert(
        profile,
        connection,
        ...[later, past, cancelled, soon].filter((post) => post !== undefined),
      );
      expect(await listed()).toEqual([soon?.id, later?.id, cancelled?.id]);
      await world.change(async (tx) => {
        if (cancelled)
          await tx.deliveries.cancelUnsent(
            workspaceId,
            cancelled.id,
            cancelled.deliveries.map(({ id }) => id),
          );
      });
      expect(await listed()).toEqual([soon?.id, later?.id]);
      const free = world.clock.after(240_000);
      const slots = [soon?.queueSlot ?? free, cancelled?.queueSlot ?? free, free];
      await world.change(async (tx) => {
        expect(await tx.postingQueues.claim(workspaceId, profileId, slots)).toEqual(cancelled?.queueSlot);
        expect(await tx.postingQueues.claim(workspaceId, profileId, slots.slice(0, 1))).toBeNull();
      });
      expect(await world.postingQueues.listClaimed(world.theirs.workspace.id, profileId)).toEqual([]);
      await world.postingQueues.release(workspaceId, profileId);
      expect(await listed()).toEqual([]);
      expect(soon && (await world.posts.find(workspaceId, soon.id))?.queueSlot).toBeNull();
    });
  });
}
