import { beforeAll, describe, expect, test } from '@jest/globals';
import type { SealedCredential } from '../../src/index.js';
import { makeWorld, type MakeStorage, type World } from './storage.js';

export function credentialsContract(make: MakeStorage): void {
  describe('Credentials', () => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(await make());
    });

    async function stored(): Promise<SealedCredential> {
      const connection = world.build.connection(world.ours.profile);
      const credential = {
        connectionId: connection.id,
        workspaceId: connection.workspaceId,
        generation: 1,
        sealed: new Uint8Array([1]),
        accessExpiresAt: world.clock.after(60_000),
      };
      await world.change(async (tx) => {
        await tx.connections.insert(connection);
        await tx.credentials.insert(credential);
      });
      return credential;
    }
    const next = (credential: SealedCredential, byte: number): SealedCredential => ({
      ...credential,
      generation: credential.generation + 1,
      sealed: new Uint8Array([byte]),
    });
    const claim = ({ connectionId, generation }: SealedCredential, leaseSeconds = 30) =>
      world.change((tx) => tx.credentials.claim(connectionId, generation, leaseSeconds));
    const renew = (credential: SealedCredential, fence: number) =>
      world.change((tx) => tx.credentials.renew(credential, fence));
    const generationOf = async ({ workspaceId, connectionId }: SealedCredential) =>
      (await world.credentials.find(workspaceId, connectionId))?.generation;

    test('one of twenty gets the right to renew', async () => {
      const credential = await stored();
      const fences = await Promise.all(Array.from({ length: 20 }, () => claim(credential)));
      expect(fences.filter((fence) => fence !== null)).toHaveLength(1);
    });

    test('a renewal is stored whole and ends the lease', async () => {
      const credential = await stored();
      const fence = (await claim(credential)) ?? -1;
      const renewed = next(credential, 2);
      expect(await renew(renewed, fence)).toBe(true);
      expect(await world.credentials.find(credential.workspaceId, credential.connectionId)).toEqual(renewed);
      expect(await claim(credential)).toBeNull();
      expect(await claim(renewed)).not.toBeNull();
    });

    test('whoever lost the lease to another writes nothing', async () => {
      const credential = await stored();
      const slow = (await claim(credential, 1)) ?? -1;
      expect(await claim(credential)).toBeNull();
      await world.clock.sleep(1100);
      const quick = (await claim(credential)) ?? -1;
      expect(quick).toBeGreaterThan(slow);
      expect(await renew(next(credential, 2), slow)).toBe(false);
      expect(await generationOf(credential)).toBe(1);
      expect(await renew(next(credential, 3), quick)).toBe(true);
      expect(await renew(next(credential, 4), quick)).toBe(false);
    });

    test('a lease that ran out without a successor still stores the token that was received', async () => {
      const credential = await stored();
      const fence = (await claim(credential, 0.02)) ?? -1;
      await world.clock.sleep(40);
      expect(await renew(next(credential, 2), fence)).toBe(true);
    });

    test('only the holder gives the right back', async () => {
      const credential = await stored();
      const fence = (await claim(credential)) ?? -1;
      const release = (number: number) =>
        world.change((tx) => tx.credentials.release(credential.connectionId, number));
      await release(fence - 1);
      expect(await claim(credential)).toBeNull();
      await release(fence);
      expect(await claim(credential)).not.toBeNull();
    });

    test('a reconnection ends every renewal that is under way', async () => {
      const credential = await stored();
      const fence = (await claim(credential)) ?? -1;
      await world.change((tx) => tx.credentials.replace(next(credential, 9)));
      expect(await renew(next(credential, 2), fence)).toBe(false);
      expect(await generationOf(credential)).toBe(2);
      await expect(world.change((tx) => tx.credentials.replace(next(credential, 5)))).rejects.toThrow();
      expect(await claim({ ...credential, generation: 2 })).not.toBeNull();
    });
  });
}
