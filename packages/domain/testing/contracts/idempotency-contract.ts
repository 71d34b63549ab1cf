import { describe, expect, test } from '@jest/globals';
import { refuse } from '../../src/failure.js';
import type { IdempotencyScope } from '../../src/ports/index.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function idempotencyContract(make: CreateStorage): void {
  describe('Idempotency', () => {
    const world = useStorageWorld(make);
    let count = 0;

    const fresh = (over: Partial<IdempotencyScope> = {}): IdempotencyScope => ({
      workspaceId: world.ours.workspace.id,
      operation: 'createPost',
      lineage: 'key_a',
      key: `request-${++count}`,
      ...over,
    });
    const claim = (scope: IdempotencyScope, fingerprint = 'print', leaseSeconds = 60) =>
      world.idempotency.claim(scope, fingerprint, leaseSeconds);
    const body = new Uint8Array([1, 2, 3]);

    test('one of twenty claims a key, the others get in_progress', async () => {
      const scope = fresh();
      const claims = await Promise.all(Array.from({ length: 20 }, () => claim(scope)));
      expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
      expect(claims.filter(({ kind }) => kind === 'in_progress')).toHaveLength(19);
    });

    test('the response is returned again, with the fingerprint of the request', async () => {
      const scope = fresh();
      await claim(scope);
      await world.idempotency.storeResponse(scope, 201, body);
      await world.idempotency.storeResponse(scope, 500, new Uint8Array([9]));
      const again = await claim(scope, 'another print');
      expect(again).toMatchObject({ kind: 'answered', fingerprint: 'print', status: 201 });
      expect(again.kind === 'answered' && [...again.sealedBody]).toEqual([...body]);
    });

    test('a response may be replaced, but not before it exists', async () => {
      const scope = fresh();
      await claim(scope);
      await world.idempotency.replaceResponse(scope, 201, body);
      expect(await claim(scope)).toEqual({ kind: 'in_progress', fingerprint: 'print' });
      await world.idempotency.storeResponse(scope, 201, new Uint8Array([9]));
      await world.idempotency.replaceResponse(scope, 201, body);
      const again = await claim(scope);
      expect(again.kind === 'answered' && [...again.sealedBody]).toEqual([...body]);
    });

    test('a released key is free, a completed one is not released', async () => {
      const scope = fresh();
      await claim(scope);
      await world.idempotency.release(scope);
      expect(await claim(scope, 'another print')).toEqual({ kind: 'claimed' });
      await world.idempotency.storeResponse(scope, 204, body);
      await world.idempotency.release(scope);
      expect(await claim(scope)).toMatchObject({ kind: 'answered' });
    });

    test('a claim that is rolled back never happened', async () => {
      const scope = fresh();
      await world.transactions.run(async (tx) => {
        await tx.idempotency.claim(scope, 'print', 60);
        return refuse('post.no_targets', 'None.');
      });
      expect(await claim(scope, 'another print')).toEqual({ kind: 'claimed' });
    });

    test('only the same request takes over an expired lease', async () => {
      const scope = fresh();
      await claim(scope, 'print', 0.02);
      await world.clock.sleep(40);
      expect(await claim(scope, 'another print')).toEqual({ kind: 'in_progress', fingerprint: 'print' });
      expect(await claim(scope)).toEqual({ kind: 'claimed' });
      expect(await claim(scope)).toEqual({ kind: 'in_progress', fingerprint: 'print' });
    });

    test('a key is scoped to one operation and one family of keys', async () => {
      const scope = fresh();
      await claim(scope);
      expect(await claim({ ...scope, operation: 'createProfile' })).toEqual({ kind: 'claimed' });
      expect(await claim({ ...scope, lineage: 'key_b' })).toEqual({ kind: 'claimed' });
    });
  });
}
