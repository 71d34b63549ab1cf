import { describe, expect, test } from '@jest/globals';
import { createStorageWorld, type CreateStorage } from './storage-world.js';

/** Each workspace is claimed once for each check, and its items are its own. */
export function notificationsContract(make: CreateStorage): void {
  describe('notifications', () => {
    test('only workspaces with addresses are due, and a claimed one until its next check', async () => {
      const { ours, theirs, clock, ...world } = await createStorageWorld(await make());
      const notifyEmails = ['team@lumen.example', 'ops@lumen.example'];
      await world.workspaces.update(ours.workspace.id, { notifyEmails });
      expect(await world.notifications.listDue(9)).toEqual([
        { ...ours.workspace, notifyEmails, version: ours.workspace.version + 1 },
      ]);
      const claim = () => world.notifications.claim(ours.workspace.id, clock.after(400));
      const claims = await Promise.all([claim(), claim(), claim()]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await world.notifications.listDue(9)).toEqual([]);
      expect(await world.notifications.listItems(ours.workspace.id)).toEqual([]);
      await world.notifications.store(
        ours.workspace.id,
        ['post_failed pst_1', 'post_missed pst_2'],
        clock.after(400),
      );
      expect(await world.notifications.listItems(theirs.workspace.id)).toEqual([]);
      await clock.sleep(500);
      expect(await world.notifications.listDue(9)).toHaveLength(1);
      expect(await claim()).toBe(true);
      expect(await world.notifications.listItems(ours.workspace.id)).toEqual([
        'post_failed pst_1',
        'post_missed pst_2',
      ]);
      await world.workspaces.update(ours.workspace.id, { notifyEmails: [] });
      await clock.sleep(500);
      expect(await world.notifications.listDue(9)).toEqual([]);
    });
  });
}
