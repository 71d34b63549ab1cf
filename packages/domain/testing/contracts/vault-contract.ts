import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WorkspaceId } from '../../src/ids.js';
import type { RegisteredProcess, WrappedDataKey } from '../../src/ports/index.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

/** Wrapped data keys, and the processes that have the master keys. */
export function vaultContract(make: CreateStorage): void {
  describe('data keys', () => {
    const world = useStorageWorld(make, beforeEach);

    const key = (workspaceId: WorkspaceId | null, masterKeyId: string, byte: number): WrappedDataKey => ({
      workspaceId,
      masterKeyId,
      version: 1,
      wrapped: new Uint8Array([byte]),
    });
    const insert = (one: WrappedDataKey) => world.dataKeys.insert(one);
    const bytes = async (workspaceId: WorkspaceId | null) => [
      ...((await world.dataKeys.find(workspaceId))?.wrapped ?? []),
    ];
    const holder = (id: string, masterKeyIds: readonly string[]): Omit<RegisteredProcess, 'seenAt'> => ({
      id,
      masterKeyIds,
      app: 'rest',
      host: 'here',
      pid: 17,
      startedAt: world.clock.now(),
    });

    test('new keys are wrapped by the master key that wraps the installation’s own, or not stored', async () => {
      const [ours, theirs] = [world.ours.workspace.id, world.theirs.workspace.id];
      await insert(key(null, 'new', 1));
      expect(await insert(key(ours, 'old', 2))).toBeNull();
      expect(await world.dataKeys.find(ours)).toBeNull();
      expect(await insert(key(theirs, 'new', 3))).toEqual(key(theirs, 'new', 3));
    });

    test('are counted by master key, and listed completely where another one wraps them', async () => {
      const [ours, theirs] = [world.ours.workspace.id, world.theirs.workspace.id];
      const beganMs = world.clock.now().getTime();
      for (const owner of [ours, theirs, null]) await insert(key(owner, 'old', 1));
      expect(await world.dataKeys.countByMasterKey()).toEqual([
        { masterKeyId: 'old', dataKeys: 3, since: expect.any(Date) },
      ]);
      const [use] = await world.dataKeys.countByMasterKey();
      expect(Math.abs((use?.since.getTime() ?? 0) - beganMs)).toBeLessThan(60_000);
      expect(await world.dataKeys.listWrappedByOtherKeys('old', null, 10)).toEqual([]);

      const listed: WrappedDataKey[] = [];
      for (let last: WrappedDataKey | null = null; ;) {
        const [next]: readonly WrappedDataKey[] = await world.dataKeys.listWrappedByOtherKeys('new', last, 1);
        if (!next) break;
        listed.push(next);
        // Keys that were just rewrapped are not on the next pages.
        await world.dataKeys.rewrap([{ before: next, after: { ...next, masterKeyId: 'new' } }]);
        last = next;
      }
      expect(new Set(listed.map(({ workspaceId }) => workspaceId))).toEqual(new Set([ours, theirs, null]));
      expect(listed).toHaveLength(3);
      expect(await world.dataKeys.countByMasterKey()).toMatchObject([{ masterKeyId: 'new', dataKeys: 3 }]);
    });

    test('are rewrapped only if they are unchanged', async () => {
      const [ours, theirs] = [world.ours.workspace.id, world.theirs.workspace.id];
      await insert(key(ours, 'old', 1));
      await insert(key(theirs, 'old', 2));
      const rewrap = (change: [WrappedDataKey, WrappedDataKey][]) =>
        world.dataKeys.rewrap(change.map(([before, after]) => ({ before, after })));
      expect(
        await rewrap([
          [key(ours, 'old', 9), key(ours, 'new', 3)],
          [key(theirs, 'old', 2), key(theirs, 'new', 4)],
        ]),
      ).toBe(1);
      expect([await bytes(ours), await bytes(theirs)]).toEqual([[1], [4]]);
      expect(await world.dataKeys.find(theirs)).toEqual(key(theirs, 'new', 4));
      expect(await rewrap([[key(theirs, 'old', 2), key(theirs, 'other', 5)]])).toBe(0);
    });

    test('a process is registered until it deregisters', async () => {
      await world.processRegistry.register(holder('one', ['old']));
      await world.processRegistry.register(holder('two', ['new', 'old']));
      await world.processRegistry.register(holder('one', ['new', 'old']));
      expect(await world.processRegistry.list()).toMatchObject([
        { id: 'one', app: 'rest', host: 'here', pid: 17, masterKeyIds: ['new', 'old'] },
        { id: 'two', masterKeyIds: ['new', 'old'] },
      ]);
      await world.processRegistry.deregister('one');
      expect(await world.processRegistry.list()).toMatchObject([{ id: 'two' }]);
    });

    test('a rotation begins only when all running processes have the new master key, and only once', async () => {
      await insert(key(null, 'old', 1));
      const change = { before: key(null, 'old', 1), after: key(null, 'new', 2) };
      await world.processRegistry.register(holder('one', ['new', 'old']));
      await world.processRegistry.register(holder('two', ['old']));
      expect(await world.processRegistry.beginRotation(change)).toMatchObject({
        kind: 'missing_key',
        processes: [{ id: 'two' }],
      });
      expect(await bytes(null)).toEqual([1]);

      await world.processRegistry.register(holder('two', ['new', 'old']));
      const begun = await Promise.all([
        world.processRegistry.beginRotation(change),
        world.processRegistry.beginRotation(change),
      ]);
      expect(begun.map(({ kind }) => kind).sort()).toEqual(['conflict', 'started']);
      expect(await world.dataKeys.find(null)).toEqual(key(null, 'new', 2));
    });
  });
}
