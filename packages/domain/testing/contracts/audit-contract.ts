import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { auditCounter } from '../../src/audit/audit-counter.js';
import { sealAudit } from '../../src/audit/seal-audit.js';
import { verifyChain } from '../../src/audit/verify-chain.js';
import type { WorkspaceId } from '../../src/ids.js';
import type { PageRequest } from '../../src/page.js';
import type { AuditRow } from '../../src/ports/index.js';
import { readAll } from './records-contract.js';
import { type CreateStorage, type StorageWorld, useStorageWorld } from './storage-world.js';

const tokens = {
  random: () => 'random',
  digest: (text: string) => new Uint8Array(createHash('sha256').update(text).digest()),
  digestHex: (text: string) => createHash('sha256').update(text).digest('hex'),
};
const never = new AbortController().signal;

/** The audit log: rows are read, counted, chained and verified, in any storage. */
export function auditContract(make: CreateStorage): void {
  describe('the audit log', () => {
    const world = useStorageWorld(make);

    const workspace = () => world.ids.next('wsp');
    const row = (workspaceId: WorkspaceId, over: Partial<AuditRow> = {}): AuditRow => ({
      workspaceId,
      actor: 'key_1',
      action: 'createProfile',
      object: 'prf_1',
      outcome: 'ok',
      requestId: 'req_1',
      details: { surface: 'rest' },
      ...over,
    });
    const append = (...rows: readonly AuditRow[]) =>
      world.change(async (tx) => {
        for (const one of rows) await tx.audit.append(one);
      });
    const seal = () => sealAudit({ ...world, tokens }, never);
    const all = (workspaceId: WorkspaceId) =>
      readAll(2, (page: PageRequest) => world.auditTrail.list(workspaceId, {}, page));
    const verify = (workspaceId: WorkspaceId) =>
      verifyChain({ ...world, tokens }, workspaceId, [], () => undefined, never);

    test('is read newest first, by actor, action, object and time, and only by its own workspace', async () => {
      const [ours, theirs] = [workspace(), workspace()];
      await append(row(theirs));
      for (const action of ['one', 'two', 'three', 'four']) {
        await append(row(ours, { action, actor: action === 'two' ? 'key_2' : 'key_1' }));
        await world.clock.sleep(5);
      }
      const rows = await all(ours);
      expect(rows.map(({ action }) => action)).toEqual(['four', 'three', 'two', 'one']);
      expect(rows[3]).toMatchObject({
        ...row(ours, { action: 'one' }),
        count: 1,
        batch: null,
        sealed: false,
      });
      const found = async (filter: Parameters<StorageWorld['auditTrail']['list']>[1]) =>
        (await world.auditTrail.list(ours, filter, { limit: 10 })).items.map(({ action }) => action);
      expect(await found({ actor: 'key_2' })).toEqual(['two']);
      expect(await found({ action: 'three' })).toEqual(['three']);
      expect(await found({ object: 'prf_2' })).toEqual([]);
      expect(await found({ after: rows[1]?.at, before: rows[0]?.at })).toEqual(['three']);
    });

    test('has one row for identical actions within a minute, regardless of the counting process', async () => {
      const id = workspace();
      const processes = [auditCounter(world), auditCounter(world)] as const;
      const used = row(id, { action: 'token.used', object: 'con_1' });
      // So that no minute ends meanwhile.
      const intoMinute = world.clock.now().getTime() % 60_000;
      if (intoMinute > 50_000) await world.clock.sleep(60_000 - intoMinute);
      for (let at = 0; at < 5; at++) for (const one of processes) await one.count(used);
      await processes[0].count(row(id, { action: 'token.used', object: 'con_2' }));
      expect((await all(id)).map(({ object, count }) => [object, count]).sort()).toEqual([
        ['con_1', 2],
        ['con_2', 1],
      ]);
      for (const one of processes) await one.flush('all');
      expect((await all(id)).map(({ object, count }) => [object, count]).sort()).toEqual([
        ['con_1', 10],
        ['con_2', 1],
      ]);
    });

    test('excludes rows that are still being counted from the chain', async () => {
      const id = workspace();
      await append(row(id));
      await auditCounter(world).count(row(id, { action: 'token.used' }));
      await seal();
      expect((await all(id)).map(({ action, sealed }) => [action, sealed]).sort()).toEqual([
        ['createProfile', true],
        ['token.used', false],
      ]);
      expect(await verify(id)).toMatchObject({ checked: 1, unsealed: 1, broken: null });
    });

    test('chains each workspace separately, continues at its head, and is consistent', async () => {
      const [ours, theirs] = [workspace(), workspace()];
      await append(row(ours), row(theirs), row(ours));
      await seal();
      await append(row(ours, { details: { b: 1, a: [{ d: 'ä', c: null }] } }));
      await seal();
      const chain = await world.auditTrail.listSealed(ours, 0, 10);
      expect(chain.map((one) => one.seal.seq)).toEqual([1, 2, 3]);
      expect(chain.map((one) => one.seal.prevHash)).toEqual([
        '',
        ...chain.slice(0, 2).map((one) => one.seal.rowHash),
      ]);
      expect(await verify(ours)).toMatchObject({ checked: 3, unsealed: 0, broken: null, head: { seq: 3 } });
      expect(await verify(theirs)).toMatchObject({ checked: 1, broken: null });
      expect(await world.auditTrail.listChains()).toEqual(expect.arrayContaining([ours, theirs]));
      expect(await world.auditTrail.findSeal(chain[1]?.seal.rowHash ?? '')).toEqual({
        workspaceId: ours,
        seq: 2,
      });
      expect(await world.auditTrail.listUnsealed(null, 100)).not.toContain(ours);
    });

    test('visits every workspace each time, regardless of the activity of others', async () => {
      const many = Array.from({ length: 130 }, workspace);
      await append(...many.map((id) => row(id)));
      expect(await world.auditTrail.listUnsealed(many[0] ?? null, 2)).toEqual(many.slice(1, 3));
      await seal();
      expect(await world.auditTrail.countUnsealed(many.at(-1) ?? workspace())).toBe(0);
    });

    test('distinguishes a rewritten chain from the one whose head was recorded', async () => {
      const id = workspace();
      await append(row(id), row(id));
      await seal();
      const noted = (seq: number, rowHash: string) =>
        verifyChain({ ...world, tokens }, id, [{ seq, rowHash }], () => undefined, never);
      const head = await world.auditTrail.findHead(id);
      expect((await noted(2, head.rowHash)).broken).toBeNull();
      expect((await noted(1, head.rowHash)).broken).toMatchObject({ kind: 'rewritten', seq: 1 });
      expect((await noted(3, head.rowHash)).broken).toMatchObject({ kind: 'missing', seq: 3 });
    });
  });
}
