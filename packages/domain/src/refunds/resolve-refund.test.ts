import { describe, expect, test } from '@jest/globals';
import type { MemoryStoreOptions } from '../../testing/stores/memory-store.js';
import { payment, remoteOrder } from '../../testing/stores/order-builder.js';
import { emptyAccount, createRefundFixture } from '../../testing/stores/refund-fixture.js';
import { chargedLineages, type ApiKey } from '../access/api-key.js';
import type { KeyPolicy } from '../access/policy.js';
import { getRemainingCeilings } from '../access/refund-ceiling.js';
import { formatOrderId } from '../orders/order-id.js';
import { ok } from '../result.js';
import { LEASE_SECONDS } from '../lease.js';
import { recheckRefund } from './recheck-refund.js';
import { resolveRefund } from './resolve-refund.js';
import { sendRefund } from './send-refund.js';

const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1000 }] };
const MINUTE_MS = 60_000;

/**
 * A key with a ceiling of 10.00 a day, and a refund of 10.00 whose response was lost after the store had made
 * it, or before.
 */
async function inDoubt(fault: 'lost-after' | 'lost-before', options: Partial<MemoryStoreOptions> = {}) {
  const orders = [remoteOrder(), remoteOrder({ externalId: 'so_2' })];
  const t = createRefundFixture({ orders, ...options }, ceiling);
  await t.s.store(t.key);
  const keyOfMaker = async (maker: ApiKey | null, policy: Partial<KeyPolicy> = ceiling) => {
    const key = { ...t.s.key(policy), ancestors: maker ? chargedLineages(maker) : [] };
    await t.s.store(key);
    return key;
  };
  const inDoubtAs = async (key: ApiKey) => {
    t.store.faults.push(fault);
    t.store.switches.findFails = true;
    const { id } = await t.made({ amount: '10.00' }, t.s.call(key));
    t.store.switches.findFails = false;
    return id;
  };
  const resolve = (id: string, outcome: 'succeeded' | 'failed', key: ApiKey = t.key) =>
    resolveRefund(t.s.ports, t.s.call(key), { refundId: id, outcome });
  const leftOf = async (key: ApiKey) =>
    (await getRemainingCeilings(t.s.ports, t.call.workspaceId, key))?.[0]?.perDayLeftMinor;
  const decisions = () => t.s.auditRows().filter(({ action }) => action === 'resolveRefund');
  return { ...t, keyOfMaker, inDoubtAs, resolve, leftOf, decisions };
}

describe('a refund that is resolved as failed (finding 3)', () => {
  test('is recorded as succeeded when the store lists it, and its ceiling stays used', async () => {
    const t = await inDoubt('lost-after');
    const id = await t.inDoubtAs(t.key);
    expect(await t.resolve(id, 'failed')).toMatchObject({
      ok: true,
      value: { status: 'succeeded', externalId: 're_1', moneyMoved: true },
    });
    expect(await t.account()).toEqual({ ...emptyAccount, refundedMinor: 1000 });
    expect(t.types().at(-1)).toBe('refund.succeeded');
    expect(await t.leftOf(t.key)).toBe(0);
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'refund.settled' } });
    expect(t.store.refundedMinor('so_1')).toBe(1000);
  });

  test('waits for the store to finish the request, and is not recorded before', async () => {
    const t = await inDoubt('lost-before');
    const id = await t.inDoubtAs(t.key);
    const early = await t.resolve(id, 'failed');
    expect(early).toMatchObject({ failure: { code: 'refund.in_progress' } });
    if (early.ok) throw new Error('it was recorded');
    expect(early.failure.retryAfterSeconds).toBeGreaterThan(20);
    expect(await t.account()).toEqual({ reservedMinor: 1000, refundedMinor: 0, inFlight: id });
    t.s.clock.advance((early.failure.retryAfterSeconds ?? 0) * 1000);
    expect(await t.resolve(id, 'failed')).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await t.account()).toEqual(emptyAccount);
  });

  test('is not recorded while the store cannot be read, and its worker continues', async () => {
    const t = await inDoubt('lost-after');
    const id = await t.inDoubtAs(t.key);
    t.s.clock.advance(MINUTE_MS);
    t.store.switches.findFails = true;
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'platform.unavailable' } });
    t.s.closed.add(t.connection.id);
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
    expect(await t.account()).toEqual({ reservedMinor: 1000, refundedMinor: 0, inFlight: id });
    t.s.closed.clear();
    t.store.switches.findFails = false;
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ id, status: 'succeeded' }]);
  });

  test('does not postpone the next read of the store, regardless of how often it is requested', async () => {
    const t = await inDoubt('lost-after');
    const id = await t.inDoubtAs(t.key);
    t.store.switches.findFails = true;
    for (let time = 0; time < 12; time++) await t.resolve(id, 'failed');
    t.s.clock.advance(MINUTE_MS);
    await t.work();
    const [refund] = await t.s.refunds();
    const now = t.s.clock.now().getTime();
    expect(refund).toMatchObject({ id, status: 'unknown', sentAt: expect.any(Date) });
    expect(refund?.epoch).toBeGreaterThan(12);
    const ageMs = now - (refund?.sentAt?.getTime() ?? 0);
    expect(refund?.nextAttemptAt?.getTime()).toBeLessThanOrEqual(now + ageMs);
  });

  test('that the store lists without having settled it stays unchanged, and may be resolved as succeeded', async () => {
    const t = await inDoubt('lost-before', { settlesLater: false });
    t.store.faults.push('settles-later');
    const { id } = await t.made({ amount: '10.00' });
    t.s.clock.advance(31 * MINUTE_MS);
    expect(await t.resolve(id, 'failed')).toMatchObject({
      failure: { code: 'refund.in_doubt', details: { id, externalId: 're_1' } },
    });
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review', externalId: 're_1' }]);
    expect(await t.resolve(id, 'succeeded')).toMatchObject({ ok: true, value: { status: 'succeeded' } });
  });

  test('of an order that the store deleted is a person’s decision, with the store’s response in the audit log', async () => {
    const t = await inDoubt('lost-before');
    const id = await t.inDoubtAs(t.key);
    t.store.remove('so_1');
    // The store may still be processing the request.
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'refund.in_progress' } });
    t.s.clock.advance(MINUTE_MS);
    t.store.switches.getFails = true;
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'platform.refused' } });
    t.store.switches.getFails = false;
    const approver = await t.keyOfMaker(null);
    expect(await t.resolve(id, 'failed', approver)).toMatchObject({
      ok: true,
      value: { status: 'failed', moneyMoved: false, resolvedBy: approver.id },
    });
    expect(await t.account()).toEqual(emptyAccount);
    expect(t.decisions()).toMatchObject([
      {
        actor: approver.id,
        action: 'resolveRefund',
        object: id,
        outcome: 'ok',
        details: {
          outcome: 'failed',
          evidence: 'order_missing',
          store_answer: 'There is no such order.',
        },
      },
    ]);
  });

  test('of a deleted order leaves the ceiling of the key that created it used when that key decides', async () => {
    const t = await inDoubt('lost-before');
    const id = await t.inDoubtAs(t.key);
    t.store.remove('so_1');
    t.s.clock.advance(MINUTE_MS);
    expect(await t.resolve(id, 'failed')).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await t.leftOf(t.key)).toBe(0);
  });

  test('is a person’s decision where the store responds that it cannot determine the outcome, unless its order shows the refund', async () => {
    const t = await inDoubt('lost-after');
    const id = await t.inDoubtAs(t.key);
    t.s.clock.advance(MINUTE_MS);
    t.store.switches.cannotTell = true;
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const other = await inDoubt('lost-before');
    const unseen = await other.inDoubtAs(other.key);
    other.s.clock.advance(MINUTE_MS);
    other.store.switches.cannotTell = true;
    expect(await other.resolve(unseen, 'failed')).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await other.leftOf(other.key)).toBe(0);
    expect(other.decisions()).toMatchObject([
      { details: { evidence: 'store_cannot_tell', store_answer: 'What the store shows cannot tell.' } },
    ]);
  });

  test('of a store that was disconnected is a person’s decision, and the deciding key gains nothing', async () => {
    const t = await inDoubt('lost-after');
    const id = await t.inDoubtAs(t.key);
    await t.s.disconnect(t.connection);
    expect(await t.resolve(id, 'failed')).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await t.leftOf(t.key)).toBe(0);
  });
});

describe('the ceiling of a refund that a key resolves as failed (finding 3)', () => {
  /** A refund of `owner` that its store never made, resolved as failed by `decider`. */
  async function decidedBy(
    choose: (t: Awaited<ReturnType<typeof inDoubt>>) => Promise<{ owner: ApiKey; decider: ApiKey }>,
  ) {
    const t = await inDoubt('lost-before');
    const { owner, decider } = await choose(t);
    const id = await t.inDoubtAs(owner);
    t.s.clock.advance(MINUTE_MS);
    expect(await t.resolve(id, 'failed', decider)).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await t.account()).toEqual(emptyAccount);
    return { t, owner, decider };
  }

  test('stays used for the key itself, also under its rotated secret', async () => {
    const { t } = await decidedBy(async ({ key, s }) => ({
      owner: key,
      decider: { ...s.key(ceiling), lineage: key.lineage },
    }));
    expect(await t.leftOf(t.key)).toBe(0);
    const again = await t.refund({ amount: '10.00' });
    expect(again).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    t.s.clock.advance(24 * 60 * MINUTE_MS);
    expect(await t.leftOf(t.key)).toBe(1000);
  });

  test('stays used when the deciding key created the key', async () => {
    const { t } = await decidedBy(async (it) => ({ owner: it.key, decider: await it.keyOfMaker(it.key) }));
    expect(await t.leftOf(t.key)).toBe(0);
  });

  test('of a parent stays used when one child decides about another, whose own is released', async () => {
    const { t, owner } = await decidedBy(async (it) => ({
      owner: await it.keyOfMaker(it.key),
      decider: await it.keyOfMaker(it.key),
    }));
    expect(await t.leftOf(t.key)).toBe(0);
    expect(await t.leftOf(owner)).toBe(0);
    expect(await t.s.ports.refunds.sumCharges(t.call.workspaceId, [owner.lineage], new Date(0))).toEqual([]);
  });

  test('stays used for the whole lineage when an ancestor decides that a key created', async () => {
    const { t, owner, decider } = await decidedBy(async (it) => {
      const parent = await it.keyOfMaker(it.key);
      return { owner: await it.keyOfMaker(parent), decider: parent };
    });
    const lineages = [owner.lineage, decider.lineage, t.key.lineage];
    const sums = await t.s.ports.refunds.sumCharges(t.call.workspaceId, lineages, new Date(0));
    expect(sums.map(({ amountMinor }) => amountMinor)).toEqual([1000, 1000, 1000]);
  });

  test('of a child is released by the operator’s key that created it, whose own stays used', async () => {
    const { t, owner } = await decidedBy(async (it) => ({
      owner: await it.keyOfMaker(it.key),
      decider: it.key,
    }));
    expect(await t.s.ports.refunds.sumCharges(t.call.workspaceId, [owner.lineage], new Date(0))).toEqual([]);
    expect(await t.leftOf(t.key)).toBe(0);
  });

  test('is released by an unrelated key', async () => {
    const { t } = await decidedBy(async (it) => ({ owner: it.key, decider: await it.keyOfMaker(null) }));
    expect(await t.leftOf(t.key)).toBe(1000);
  });
});

describe('a holder of several keys of one lineage (finding 3)', () => {
  test('moves no more than the ceiling, regardless of which key resolves refunds of a store without lookup', async () => {
    for (const decide of ['itself', 'rotated', 'child', 'parent', 'sibling'] as const) {
      const t = await inDoubt('lost-after', { readsBack: false });
      const acting = await t.keyOfMaker(t.key);
      const deciders = {
        itself: acting,
        rotated: { ...t.s.key(ceiling), lineage: acting.lineage, ancestors: acting.ancestors },
        child: await t.keyOfMaker(acting),
        parent: t.key,
        sibling: await t.keyOfMaker(t.key),
      };
      const id = await t.inDoubtAs(acting);
      expect(await t.resolve(id, 'failed', deciders[decide])).toMatchObject({ value: { status: 'failed' } });
      const orderId = formatOrderId({ connectionId: t.connection.id, externalId: 'so_2' });
      for (const key of [acting, ...Object.values(deciders), await t.keyOfMaker(t.key)]) {
        const again = await t.refund({ orderId, amount: '0.01' }, t.s.call(key));
        expect(again).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
      }
      expect(t.store.refunds.reduce((sum, { amount }) => sum + amount.amountMinor, 0)).toBe(1000);
    }
  });

  test('gets no wrong status for a refund whose process crashed after sending it', async () => {
    const t = await inDoubt('lost-after');
    const { id } = await t.made({ amount: '10.00' }, { ...t.call, waitSeconds: 0 });
    await t.s.ports.transactions.run(async (tx) => {
      const claimed = await tx.refunds.claim(id, LEASE_SECONDS);
      await tx.refunds.markSent(id, claimed?.epoch ?? 0);
      return ok();
    });
    t.store.refundElsewhere('so_1', 1000, id);
    t.s.clock.advance(MINUTE_MS);
    expect(await t.resolve(id, 'failed')).toMatchObject({ failure: { code: 'refund.in_progress' } });
    t.s.clock.advance(15 * MINUTE_MS);
    expect(await t.resolve(id, 'failed')).toMatchObject({
      ok: true,
      value: { status: 'succeeded', moneyMoved: true },
    });
    expect(await t.leftOf(t.key)).toBe(0);
  });
});

describe('a refund that stays pending (finding 21)', () => {
  test('needs review after 30 minutes at a store that settles within the request, by the worker or a recheck', async () => {
    for (const look of ['worker', 'recheck'] as const) {
      const t = createRefundFixture({ settlesLater: false });
      t.store.faults.push('settles-later');
      const { id } = await t.made({ amount: '10.00' });
      for (let minute = 0; minute < 29; minute++) {
        t.s.clock.advance(MINUTE_MS);
        await t.work();
      }
      expect(await t.s.refunds()).toMatchObject([{ status: 'pending' }]);
      t.s.clock.advance(MINUTE_MS);
      if (look === 'worker') await t.work();
      else await recheckRefund(t.s.ports, t.call, { refundId: id });
      expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review', externalId: 're_1' }]);
      expect(t.types()).toEqual(['refund.created', 'refund.needs_review']);
      const { nextAttemptAt } = (await t.s.refunds())[0] ?? {};
      expect(nextAttemptAt).toBeNull();
    }
  });

  test('may be resolved after 15 minutes, and not before', async () => {
    const t = createRefundFixture();
    t.store.faults.push('settles-later');
    const { id } = await t.made({ amount: '10.00' });
    const resolve = () => resolveRefund(t.s.ports, t.call, { refundId: id, outcome: 'succeeded' });
    t.s.clock.advance(14 * MINUTE_MS);
    expect(await resolve()).toMatchObject({ failure: { code: 'refund.in_progress' } });
    t.s.clock.advance(MINUTE_MS);
    expect(await resolve()).toMatchObject({ ok: true, value: { status: 'succeeded' } });
    expect(await t.account()).toEqual({ ...emptyAccount, refundedMinor: 1000 });
  });

  test('is not resolved while a process holds its lease', async () => {
    const t = createRefundFixture({ latencyMs: 2000 });
    t.store.faults.push('settles-later');
    const { id } = await t.made({ amount: '10.00' });
    t.s.clock.advance(16 * MINUTE_MS);
    const working = sendRefund(t.s.ports, t.call.workspaceId, id);
    await t.s.clock.sleep(500);
    const resolved = await resolveRefund(t.s.ports, t.call, { refundId: id, outcome: 'failed' });
    expect(resolved).toMatchObject({ failure: { code: 'refund.in_progress' } });
    await working;
  });

  test('because its process crashed before anything was sent is resolved as failed without reading the store', async () => {
    const t = createRefundFixture();
    const { id } = await t.made({ amount: '10.00' }, { ...t.call, waitSeconds: 0 });
    await t.s.ports.transactions.run(async (tx) => ({
      ok: true,
      value: await tx.refunds.claim(id, LEASE_SECONDS),
    }));
    t.s.clock.advance(15 * MINUTE_MS);
    const resolved = await resolveRefund(t.s.ports, t.call, { refundId: id, outcome: 'failed' });
    expect(resolved).toMatchObject({ ok: true, value: { status: 'failed', moneyMoved: false } });
    expect(t.store.calls.find).toBe(0);
    expect(await t.account()).toEqual(emptyAccount);
  });
});

describe('whether money moved (finding 29)', () => {
  test('is null while a refund is pending, unknown or needs review, also in its events', async () => {
    const t = await inDoubt('lost-after');
    await t.inDoubtAs(t.key);
    expect(await t.s.refunds()).toMatchObject([{ status: 'unknown', moneyMoved: null }]);

    for (const [fault, status] of [
      ['settles-later', 'pending'],
      ['unclear', 'needs_review'],
      ['other-amount', 'needs_review'],
    ] as const) {
      const other = createRefundFixture();
      other.store.faults.push(fault);
      expect(await other.made({ amount: '10.00' })).toMatchObject({ status, moneyMoved: null });
      for (const { data } of other.s.events()) expect(data).toMatchObject({ money_moved: null });
    }
  });

  test('is false for a refund that failed or was only recorded, and true for one that the store sent', async () => {
    const t = createRefundFixture();
    t.store.faults.push('refuse');
    await t.refund({ amount: '10.00' });
    await t.made({ amount: '11.00' });
    expect(await t.s.refunds()).toMatchObject([
      { status: 'failed', moneyMoved: false },
      { status: 'succeeded', moneyMoved: true },
    ]);
    expect(t.s.events().map(({ data }) => data['money_moved'])).toEqual([null, false, null, true]);
  });
});

test('the refundable amount must equal the expected one', async () => {
  const t = createRefundFixture();
  expect(await t.refund({ amount: '1.00', expectedRefundable: '49.89' })).toMatchObject({
    code: 'refund.refundable_changed',
  });
  expect(await t.refund({ amount: '1.00', expectedRefundable: '0' })).toMatchObject({
    code: 'refund.refundable_changed',
  });
  expect(await t.made({ amount: '1.00', expectedRefundable: '49.90' })).toMatchObject({
    status: 'succeeded',
  });
});

test('a refund that is only recorded reports that no money moved', async () => {
  const t = createRefundFixture({
    orders: [remoteOrder({ payments: [payment('transfer', 4990, 'EUR', false)] })],
  });
  expect(await t.refund({ amount: '10.00' })).toMatchObject({ code: 'refund.offline_only' });
  expect(await t.made({ amount: '10.00', allowOffline: true })).toMatchObject({
    status: 'succeeded',
    moneyMoved: false,
  });
});

test('an unreachable, unknown or malformed order is not found', async () => {
  const t = createRefundFixture();
  const otherCall = t.s.call(t.s.key({ profileIds: [t.s.build.profile(t.s.workspace).id] }));
  expect(await t.refund({}, otherCall)).toMatchObject({ code: 'order.not_found' });
  expect(await t.refund({ orderId: 'ord_nonsense' })).toMatchObject({ code: 'order.not_found' });
  expect(await t.refund({ orderId: undefined })).toMatchObject({ code: 'order.not_found' });
  const gone = formatOrderId({ connectionId: t.connection.id, externalId: 'so_404' });
  expect(await t.refund({ orderId: gone })).toMatchObject({ code: 'order.not_found' });
});

describe('resolving', () => {
  async function doubtful() {
    const t = createRefundFixture({ readsBack: false });
    t.store.faults.push('lost-after');
    const refund = await t.made({ amount: '10.00' });
    const resolve = (outcome: 'succeeded' | 'failed', more: { externalId?: string; note?: string } = {}) =>
      resolveRefund(t.s.ports, t.call, { refundId: refund.id, outcome, ...more });
    return { ...t, resolve, id: refund.id };
  }

  test('as succeeded captures the reserved amount, and as failed releases it', async () => {
    const made = await doubtful();
    expect(await made.resolve('succeeded', { externalId: 're_1', note: 'seen' })).toMatchObject({
      ok: true,
      value: { status: 'succeeded', externalId: 're_1', moneyMoved: true },
    });
    expect(await made.account()).toEqual({ ...emptyAccount, refundedMinor: 1000 });
    expect(made.s.events().at(-1)).toMatchObject({
      type: 'refund.succeeded',
      data: { resolution_note: 'seen', resolved_by: made.key.id },
    });

    const not = await doubtful();
    expect(await not.resolve('failed')).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await not.account()).toEqual(emptyAccount);
  });

  test('happens once, regardless of the number of concurrent requests', async () => {
    const t = await doubtful();
    const results = await Promise.all([t.resolve('failed'), t.resolve('succeeded'), t.resolve('failed')]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.find((result) => !result.ok)).toMatchObject({ failure: { code: 'refund.settled' } });
  });

  test('waits for a concurrent read-back, and does not overrule its result', async () => {
    const t = createRefundFixture({ latencyMs: 100 });
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    const refund = await t.made({ amount: '10.00' });
    t.store.switches.findFails = false;
    const reading = recheckRefund(t.s.ports, t.call, { refundId: refund.id });
    await t.s.clock.sleep(50);
    const resolved = await resolveRefund(t.s.ports, t.call, { refundId: refund.id, outcome: 'failed' });
    expect(resolved).toMatchObject({ ok: false, failure: { code: 'refund.in_progress' } });
    expect(await reading).toMatchObject({ ok: true, value: { status: 'succeeded' } });
  });

  test('is not available to a key without access', async () => {
    const t = await doubtful();
    const otherCall = t.s.call(t.s.key({ profileIds: [t.s.build.profile(t.s.workspace).id] }));
    const result = await resolveRefund(t.s.ports, otherCall, { refundId: t.id, outcome: 'failed' });
    expect(result).toMatchObject({ ok: false, failure: { code: 'refund.not_found' } });
  });
});
