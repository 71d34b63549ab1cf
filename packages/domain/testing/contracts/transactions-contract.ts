import { describe, expect, test } from '@jest/globals';
import { refuse } from '../../src/failure.js';
import type { Tx } from '../../src/ports/index.js';
import { ok } from '../../src/result.js';
import { type CreateStorage, type StorageWorld, useStorageWorld } from './storage-world.js';
import { opaqueEvent } from '../opaque-event.js';

export function transactionsContract(make: CreateStorage): void {
  describe('Transactions', () => {
    const world = useStorageWorld(make);

    /** One of each write that a use case may do in a transaction. */
    async function writeEverything(tx: Tx) {
      const { workspace } = world.ours;
      const profile = world.build.profile(workspace);
      await tx.profiles.insert(profile);
      await tx.events.append(
        opaqueEvent({
          workspaceId: workspace.id,
          type: 'connection.connected',
          profileId: profile.id,
        }),
      );
      await tx.audit.append({
        workspaceId: workspace.id,
        actor: 'system:test',
        action: 'createProfile',
        object: profile.id,
        outcome: 'ok',
        requestId: 'req_1',
        details: {},
      });
      await tx.jobs.enqueue({ name: 'deliver', workspaceId: workspace.id });
      await tx.idempotency.claim(
        { workspaceId: workspace.id, operation: 'createProfile', lineage: 'key', key: profile.id },
        'print',
        60,
      );
      return profile;
    }
    const isThere = async (id: StorageWorld['ours']['profile']['id']) =>
      (await world.profiles.find(world.ours.workspace.id, id)) !== null;

    test('a failure value rolls back state, event, audit row, job and idempotency claim', async () => {
      const before = await world.recorded(world.ours.workspace.id);
      let profile = world.ours.profile;
      const outcome = await world.transactions.run(async (tx) => {
        profile = await writeEverything(tx);
        return refuse('profile.in_use', 'It is in use.', { details: { connections: 2 } });
      });
      expect(outcome).toEqual({
        ok: false,
        failure: { code: 'profile.in_use', message: 'It is in use.', details: { connections: 2 } },
      });
      expect(await isThere(profile.id)).toBe(false);
      expect(await world.recorded(world.ours.workspace.id)).toEqual(before);
      const scope = {
        workspaceId: world.ours.workspace.id,
        operation: 'createProfile',
        lineage: 'key',
        key: profile.id,
      };
      expect(await world.idempotency.claim(scope, 'other print', 60)).toEqual({
        kind: 'claimed',
      });
    });

    test('a thrown error rolls back everything and is rethrown', async () => {
      const before = await world.recorded(world.ours.workspace.id);
      let profile = world.ours.profile;
      const outcome = world.transactions.run(async (tx) => {
        profile = await writeEverything(tx);
        throw new Error('a bug');
      });
      await expect(outcome).rejects.toThrow('a bug');
      expect(await isThere(profile.id)).toBe(false);
      expect(await world.recorded(world.ours.workspace.id)).toEqual(before);
    });

    test('an ok result commits all of it together', async () => {
      const before = await world.recorded(world.ours.workspace.id);
      const outcome = await world.transactions.run(async (tx) => ok(await writeEverything(tx)));
      expect(outcome.ok && (await isThere(outcome.value.id))).toBe(true);
      expect(await world.recorded(world.ours.workspace.id)).toEqual({
        events: [...before.events, 'connection.connected'],
        audit: [...before.audit, 'createProfile'],
        jobs: [...before.jobs, 'deliver'],
      });
    });
  });
}
