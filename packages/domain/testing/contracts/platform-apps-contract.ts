import { describe, expect, test } from '@jest/globals';
import { type CreateStorage, type StorageWorld, useStorageWorld } from './storage-world.js';

/**
 * The OAuth apps of tenants: one per location, found by location and by client id, isolated between
 * workspaces.
 */
export function platformAppsContract(make: CreateStorage): void {
  describe('apps at platforms', () => {
    const world = useStorageWorld(make);

    const add = async (...of: Parameters<StorageWorld['build']['platformApp']>) => {
      const app = world.build.platformApp(...of);
      await world.platformApps.insert(app);
      return app;
    };
    const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) =>
      [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

    test('the workspace has one per platform, and so has each profile', async () => {
      const { workspace, profile } = world.ours;
      const other = world.build.profile(workspace);
      await world.insert(other);
      const common = await add(workspace, { platform: 'x' });
      const own = await add(workspace, { platform: 'x', profileId: profile.id });
      const elsewhere = await add(workspace, { platform: 'threads' });
      const apps = world.platformApps;
      expect(await apps.find(workspace.id, 'x', null)).toEqual(common);
      expect(await apps.find(workspace.id, 'x', profile.id)).toEqual(own);
      expect(await apps.find(workspace.id, 'x', other.id)).toBeNull();
      expect(byId(await apps.listApplicable(workspace.id, profile.id))).toEqual([common, own, elsewhere]);
      expect(byId(await apps.listApplicable(workspace.id, profile.id, 'x'))).toEqual([common, own]);
      expect(await apps.listApplicable(workspace.id, other.id, 'x')).toEqual([common]);
      expect(await apps.listApplicable(workspace.id, null, 'x')).toEqual([common]);
      for (const profileId of [null, profile.id])
        await expect(add(workspace, { platform: 'x', profileId })).rejects.toThrow();
    });

    test('is replaced only by the next generation, and deleted only in the version that was read', async () => {
      const { workspace } = world.ours;
      const app = await add(workspace, { platform: 'reddit' });
      const next = { ...app, clientId: 'next', sealedSecret: new Uint8Array([9]), generation: 2 };
      await world.platformApps.replace(next);
      expect(await world.platformApps.find(workspace.id, 'reddit', null)).toEqual(next);
      await expect(world.platformApps.replace(next)).rejects.toThrow();
      await expect(world.platformApps.delete(app)).rejects.toThrow();
      expect(await world.platformApps.find(workspace.id, 'reddit', null)).toEqual(next);
      await world.platformApps.delete(next);
      expect(await world.platformApps.find(workspace.id, 'reddit', null)).toBeNull();
      await expect(world.platformApps.replace({ ...next, generation: 3 })).rejects.toThrow();
    });

    test('a client id is found everywhere in the workspace, the oldest first', async () => {
      const { workspace, profile } = world.ours;
      const facts = { platform: 'tiktok', clientId: 'the same' };
      const common = await add(workspace, facts);
      const own = await add(workspace, { ...facts, profileId: profile.id });
      await add(world.theirs.workspace, facts);
      const find = (platform: string, clientId: string) =>
        world.platformApps.listByClientId(workspace.id, platform, clientId);
      expect(await find('tiktok', 'the same')).toEqual([common, own]);
      expect(await find('tiktok', 'another')).toEqual([]);
      expect(await find('pinterest', 'the same')).toEqual([]);
    });

    test('a profile is deleted with its own apps, and not with others', async () => {
      const { workspace } = world.ours;
      const profile = world.build.profile(workspace);
      await world.insert(profile);
      const common = await add(workspace, { platform: 'linkedin' });
      await add(workspace, { platform: 'linkedin', profileId: profile.id });
      await world.profiles.delete(workspace.id, profile.id);
      expect(await world.platformApps.listApplicable(workspace.id, profile.id, 'linkedin')).toEqual([common]);
    });

    test('another workspace’s is not found, replaced or deleted', async () => {
      const us = world.ours.workspace.id;
      const { workspace, profile } = world.theirs;
      const app = await add(workspace, { platform: 'youtube', profileId: profile.id });
      expect(await world.platformApps.find(us, 'youtube', profile.id)).toBeNull();
      expect(await world.platformApps.listApplicable(us, profile.id, 'youtube')).toEqual([]);
      expect(await world.platformApps.listByClientId(us, 'youtube', app.clientId)).toEqual([]);
      const next = { ...app, workspaceId: us, generation: 2 };
      await expect(world.platformApps.replace(next)).rejects.toThrow();
      await expect(world.platformApps.delete({ ...app, workspaceId: us })).rejects.toThrow();
      expect(await world.platformApps.find(workspace.id, 'youtube', profile.id)).toEqual(app);
      // Not even a row of this workspace may reference their profile.
      const mixed = world.build.platformApp(world.ours.workspace, {
        platform: 'youtube',
        profileId: profile.id,
      });
      await expect(world.platformApps.insert(mixed)).rejects.toThrow();
    });
  });
}
