import { describe, expect, test } from '@jest/globals';
import type { RefreshReceipt, SealedCredential } from '../../src/connections/credential.js';
import { doubtfulCauses, type PauseCause } from '../../src/pauses/pause.js';
import type { ConnectionChanges, RenewalResult, RenewalRequest } from '../../src/ports/index.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const done: RenewalResult = { backoffSeconds: null, isOutcomeUnknown: false };

export function credentialsContract(make: CreateStorage): void {
  describe('Credentials', () => {
    const world = useStorageWorld(make);

    /** Of a connection of its own; expires `endsInMs` from now, as if it had just been received. */
    async function stored(endsInMs: number | null = HOUR_MS, over = {}): Promise<SealedCredential> {
      const connection = world.build.connection(world.ours.profile, over);
      const credential = {
        connectionId: connection.id,
        workspaceId: connection.workspaceId,
        generation: 1,
        sealed: new Uint8Array([1]),
        accessExpiresAt: endsInMs === null ? null : world.clock.after(endsInMs),
      };
      await world.connections.insert(connection);
      await world.credentials.insert(credential);
      return credential;
    }
    const next = (credential: SealedCredential, byte: number): SealedCredential => ({
      ...credential,
      generation: credential.generation + 1,
      sealed: new Uint8Array([byte]),
    });
    const renewalRequest = (
      credential: SealedCredential,
      over: Partial<RenewalRequest> = {},
    ): RenewalRequest => ({
      connectionId: credential.connectionId,
      generation: credential.generation,
      attempt: world.ids.next('att'),
      leaseSeconds: 30,
      isTokenRejected: false,
      ...over,
    });
    const claim = (credential: SealedCredential, over: Partial<RenewalRequest> = {}) =>
      world.credentials.claim(renewalRequest(credential, over));
    const fenceOf = async (credential: SealedCredential, over: Partial<RenewalRequest> = {}) => {
      const claimed = await claim(credential, over);
      if (claimed.kind !== 'claimed') throw new Error(claimed.kind);
      return claimed.fence;
    };
    const release = ({ connectionId }: SealedCredential, fence: number, result = done) =>
      world.credentials.release(connectionId, fence, result);
    const storeReceipt = async (credential: SealedCredential, byte: number): Promise<RefreshReceipt> => {
      const receipt = {
        ...next(credential, byte),
        attempt: world.ids.next('att'),
        permissions: ['post'],
        profileId: world.ours.profile.id,
        platform: 'sandbox_social',
        connectMethod: 'oauth',
        server: null,
      };
      await world.credentials.storeReceipt(receipt);
      return receipt;
    };
    const apply = ({ workspaceId, connectionId }: SealedCredential) =>
      world.credentials.applyReceipt(workspaceId, connectionId);
    const deleteReceipts = ({ workspaceId, connectionId }: SealedCredential) =>
      world.credentials.deleteReceipts(workspaceId, connectionId);
    const deleteSpareReceipt = ({ workspaceId, connectionId, generation }: SealedCredential) =>
      world.credentials.deleteSpareReceipt(workspaceId, connectionId, generation);
    const read = ({ workspaceId, connectionId }: SealedCredential) =>
      world.credentials.find(workspaceId, connectionId);
    const isDue = async ({ connectionId }: SealedCredential, platforms = ['sandbox_social']) =>
      (await world.credentials.listDue(platforms, 1000)).some((due) => due.connectionId === connectionId);

    test('none is renewed while another installation may use the same refresh token, and all are afterwards', async () => {
      const [due, refused] = [await stored(-1000), await stored()];
      const setPause = (cause: PauseCause | null) =>
        world.pauses.updateInstallation({
          pause: cause && { cause, reason: null, by: 'system:operator', at: world.clock.now() },
        });
      try {
        for (const cause of doubtfulCauses) {
          await setPause(cause);
          expect(await isDue(due)).toBe(false);
          expect(await claim(due)).toEqual({ kind: 'held' });
          expect(await claim(refused, { isTokenRejected: true })).toEqual({ kind: 'held' });
        }
        for (const cause of ['requested', 'moved'] as const) {
          await setPause(cause);
          expect(await isDue(due)).toBe(true);
        }
        expect(await claim(refused, { isTokenRejected: true })).toMatchObject({ kind: 'claimed' });
      } finally {
        await setPause(null);
      }
      expect(await claim(due)).toMatchObject({ kind: 'claimed', fence: 1 });
    });

    test('one of twenty acquires the renewal lease', async () => {
      const credential = await stored();
      const claims = await Promise.all(Array.from({ length: 20 }, () => claim(credential)));
      expect(claims.filter(({ kind }) => kind === 'claimed')).toEqual([
        { kind: 'claimed', fence: 1, isOutcomeUnknown: false, failures: 0 },
      ]);
      expect(claims.filter(({ kind }) => kind === 'busy')).toHaveLength(19);
    });

    test('a receipt replaces the whole credential, once, and ends the lease', async () => {
      const credential = await stored();
      await fenceOf(credential);
      const receipt = await storeReceipt(credential, 2);
      const renewed = next(credential, 2);
      expect(await apply(credential)).toEqual(receipt);
      expect(await read(credential)).toEqual(renewed);
      expect(await apply(credential)).toBeNull();
      expect(await deleteReceipts(credential)).toEqual([]);
      expect(await claim(credential)).toEqual({ kind: 'busy' });
      expect(await claim(renewed)).toMatchObject({ kind: 'claimed', isOutcomeUnknown: false });
    });

    test('a receipt that is written twice is stored once', async () => {
      const credential = await stored();
      const receipt = await storeReceipt(credential, 2);
      await world.credentials.storeReceipt(receipt);
      expect(await deleteReceipts(credential)).toEqual([receipt]);
    });

    test('a process that lost its lease can still apply the token it received', async () => {
      const credential = await stored();
      await fenceOf(credential, { leaseSeconds: 0.02, isTokenRejected: true });
      await world.clock.sleep(40);
      await fenceOf(credential, { isTokenRejected: true });
      await storeReceipt(credential, 2);
      expect(await apply(credential)).toMatchObject({ generation: 2 });
      expect((await read(credential))?.sealed).toEqual(new Uint8Array([2]));
    });

    test('of two receipts for one generation the newest is applied, and the other one is kept as a fallback', async () => {
      const credential = await stored();
      const old = await storeReceipt(credential, 2);
      await world.clock.sleep(5);
      await storeReceipt(credential, 3);
      await apply(credential);
      expect((await read(credential))?.sealed).toEqual(new Uint8Array([3]));
      expect(await deleteSpareReceipt(next(credential, 3))).toEqual(old);
      expect(await deleteSpareReceipt(next(credential, 3))).toBeNull();
    });

    test('receipts of a generation are deleted two generations later', async () => {
      const credential = await stored();
      await storeReceipt(credential, 2);
      await storeReceipt(credential, 3);
      await apply(credential);
      await storeReceipt(next(credential, 3), 4);
      await apply(credential);
      expect(await deleteReceipts(credential)).toEqual([]);
    });

    test('no receipt skips a generation', async () => {
      const credential = await stored();
      await storeReceipt(next(credential, 0), 3);
      expect(await apply(credential)).toBeNull();
      expect(await read(credential)).toEqual(credential);
    });

    test('only the holder can release the lease', async () => {
      const credential = await stored();
      const fence = await fenceOf(credential);
      await release(credential, fence - 1);
      expect(await claim(credential)).toEqual({ kind: 'busy' });
      await release(credential, fence);
      expect(await claim(credential)).toMatchObject({ kind: 'claimed', isOutcomeUnknown: false });
    });

    test('an extended lease is held longer, until it is released or another process has taken over', async () => {
      const extend = ({ connectionId }: SealedCredential, fence: number) =>
        world.credentials.extendLease(connectionId, fence, 30);
      const [held, lost] = [await stored(), await stored()];
      const fence = await fenceOf(held, { leaseSeconds: 1 });
      expect(await extend(held, fence)).toBe(true);
      const lostFence = await fenceOf(lost, { leaseSeconds: 1 });
      await world.clock.sleep(1100);
      expect(await claim(held, { isTokenRejected: true })).toEqual({ kind: 'busy' });
      expect(await claim(lost, { isTokenRejected: true })).toMatchObject({ kind: 'claimed' });
      expect(await extend(lost, lostFence)).toBe(false);
      await release(held, fence);
      expect(await extend(held, fence)).toBe(false);
      const [renewed, unclaimed] = [await stored(), await stored()];
      const renewedFence = await fenceOf(renewed);
      await storeReceipt(renewed, 2);
      await apply(renewed);
      expect(await extend(renewed, renewedFence)).toBe(false);
      expect(await extend(unclaimed, 0)).toBe(false);
    });

    test('after a failure no attempt is made before the backoff ends, and failures are counted until a success', async () => {
      const credential = await stored();
      await release(credential, await fenceOf(credential), { backoffSeconds: 2, isOutcomeUnknown: false });
      expect(await claim(credential, { isTokenRejected: true })).toEqual({
        kind: 'backing_off',
        retryAfterSeconds: expect.any(Number),
      });
      await world.clock.sleep(2100);
      const again = await claim(credential);
      expect(again).toMatchObject({ kind: 'claimed', failures: 1, isOutcomeUnknown: false });
      await storeReceipt(credential, 2);
      await apply(credential);
      expect(await claim(next(credential, 2))).toMatchObject({ failures: 0 });
    });

    test('an attempt without a result is waited for, unless the token is rejected, and the next holder learns of it', async () => {
      const credential = await stored();
      await fenceOf(credential, { leaseSeconds: 0.02 });
      await world.clock.sleep(40);
      expect(await claim(credential)).toEqual({ kind: 'busy' });
      expect(await claim(credential, { isTokenRejected: true })).toMatchObject({
        kind: 'claimed',
        isOutcomeUnknown: true,
      });
    });

    test('an attempt without a result is waited for no longer than the token is valid', async () => {
      const credential = await stored(100);
      await fenceOf(credential, { leaseSeconds: 0.02 });
      await world.clock.sleep(120);
      expect(await claim(credential)).toMatchObject({ kind: 'claimed', isOutcomeUnknown: true });
    });

    test('a holder without a response reports it and delays no other attempt', async () => {
      const credential = await stored();
      await release(credential, await fenceOf(credential), { backoffSeconds: null, isOutcomeUnknown: true });
      expect(await claim(credential)).toMatchObject({ kind: 'claimed', isOutcomeUnknown: true });
    });

    test('a reconnection ends every renewal in progress, and their receipts', async () => {
      const credential = await stored();
      const fence = await fenceOf(credential);
      await storeReceipt(credential, 8);
      const again = next(credential, 9);
      await world.credentials.replace(again);
      await storeReceipt(credential, 7);
      expect(await apply(credential)).toBeNull();
      expect(await deleteSpareReceipt(again)).toBeNull();
      expect(await read(credential)).toEqual(again);
      await release(credential, fence, { backoffSeconds: 60, isOutcomeUnknown: true });
      await expect(world.credentials.replace(next(credential, 5))).rejects.toThrow();
      expect(await claim(again)).toMatchObject({ kind: 'claimed', isOutcomeUnknown: false, failures: 0 });
    });

    test('a receipt outlives its connection until it is deleted', async () => {
      const credential = await stored();
      await storeReceipt(credential, 2);
      await world.connections.delete(credential.workspaceId, credential.connectionId);
      expect(await deleteReceipts(credential)).toEqual([]);
      const late = await storeReceipt(credential, 3);
      expect(await apply(credential)).toBeNull();
      expect(await deleteReceipts(credential)).toEqual([late]);
    });

    test('lists connections whose receipt was not applied, and those without a credential', async () => {
      const [waiting, settled, ended] = [await stored(), await stored(), await stored()];
      for (const credential of [waiting, settled]) await storeReceipt(credential, 2);
      await apply(settled);
      await storeReceipt(settled, 3);
      await world.connections.delete(ended.workspaceId, ended.connectionId);
      await storeReceipt(ended, 2);
      const listed = async (ageSeconds: number) =>
        (await world.credentials.listUnsettled(ageSeconds, 1000)).map(({ connectionId }) => connectionId);
      const ids = await listed(0);
      expect(ids).toEqual(expect.arrayContaining([waiting.connectionId, ended.connectionId]));
      expect(ids).not.toContain(settled.connectionId);
      expect(await listed(60)).toEqual([]);
      await apply(waiting);
      await deleteReceipts(ended);
    });

    test('another workspace’s credentials are not found', async () => {
      const credential = await stored();
      await storeReceipt(credential, 2);
      const foreign = { ...credential, workspaceId: world.theirs.workspace.id };
      expect(await apply(foreign)).toBeNull();
      expect(await deleteSpareReceipt({ ...foreign, generation: 2 })).toBeNull();
      expect(await deleteReceipts(foreign)).toEqual([]);
    });

    test('lists credentials that expire soon without a renewal lease, of the requested platforms', async () => {
      const [soon, late, never] = [await stored(40), await stored(HOUR_MS), await stored(null)];
      await world.clock.sleep(30);
      expect(await isDue(soon)).toBe(true);
      expect(await isDue(soon, ['other'])).toBe(false);
      expect([await isDue(late), await isDue(never)]).toEqual([false, false]);
      const fence = await fenceOf(soon);
      expect(await isDue(soon)).toBe(false);
      await release(soon, fence, { backoffSeconds: 2, isOutcomeUnknown: false });
      expect(await isDue(soon)).toBe(false);
      await world.clock.sleep(2100);
      expect(await isDue(soon)).toBe(true);
    });

    test('lists non-renewable credentials only after their expiry, and none of a connection that needs reauthorization', async () => {
      const ends = { expiresAt: world.clock.after(40) };
      const [given, dead] = [await stored(5000, ends), await stored(40, { status: 'needs_reauth' })];
      await world.clock.sleep(3000);
      expect([await isDue(given), await isDue(dead)]).toEqual([false, false]);
      await world.clock.sleep(2100);
      expect([await isDue(given), await isDue(dead)]).toEqual([true, false]);
    });

    test('a credential is due according to the present state of its connection', async () => {
      const credential = await stored(40);
      const { workspaceId, connectionId } = credential;
      const update = (changes: ConnectionChanges) =>
        world.connections.update(workspaceId, connectionId, changes);
      await world.clock.sleep(50);
      expect(await isDue(credential)).toBe(true);
      await update({ status: 'needs_reauth' });
      expect(await isDue(credential)).toBe(false);
      await update({ status: 'degraded' });
      expect(await isDue(credential)).toBe(true);
      await world.connections.delete(workspaceId, connectionId);
      expect(await isDue(credential)).toBe(false);
      const ending = await stored(5000);
      await world.clock.sleep(3000);
      expect(await isDue(ending)).toBe(true);
      await world.connections.update(workspaceId, ending.connectionId, {
        expiresAt: world.clock.after(2000),
      });
      expect(await isDue(ending)).toBe(false);
    });
  });
}
