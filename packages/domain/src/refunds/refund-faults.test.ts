import { describe, expect, test } from '@jest/globals';
import { emptyAccount, createRefundFixture } from '../../testing/stores/refund-fixture.js';
import { ok } from '../result.js';
import { LEASE_SECONDS } from '../lease.js';
import { recheckRefund } from './recheck-refund.js';
import { refuseInFlight } from './refuse-in-flight.js';
import { resolveRefund } from './resolve-refund.js';
import { sendRefund } from './send-refund.js';

describe('a fault', () => {
  test('before sending releases everything: the same key refunds as soon as the store is available', async () => {
    const t = createRefundFixture();
    t.store.faults.push('unreachable');
    expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject({
      code: 'platform.unavailable',
      effect: 'none',
    });
    expect(await t.account()).toEqual(emptyAccount);
    expect(t.types()).toEqual(['refund.created', 'refund.failed']);
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toMatchObject({ status: 'succeeded' });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('of the grant is detected before anything is reserved', async () => {
    const t = createRefundFixture();
    t.s.closed.add(t.connection.id);
    expect(await t.refund()).toMatchObject({ code: 'connection.needs_reauth' });
    expect(await t.s.refunds()).toEqual([]);
  });

  test('after the effect is read back in the same request', async () => {
    for (const fault of ['lost-after', 'garbage-after'] as const) {
      const t = createRefundFixture();
      t.store.faults.push(fault);
      expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'succeeded', externalId: 're_1' });
      expect(t.store.refunds).toHaveLength(1);
    }
  });

  test('with an unknown outcome blocks every other refund of the order until it is known', async () => {
    const t = createRefundFixture();
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    const refund = await t.made({ amount: '10.00' }, t.keyed('a'));
    expect(refund).toMatchObject({ status: 'unknown' });
    expect(await t.account()).toEqual({ reservedMinor: 1000, refundedMinor: 0, inFlight: refund.id });
    expect(await t.refund({ amount: '10.00' }, t.keyed('b'))).toMatchObject({
      code: 'refund.in_doubt',
      details: { id: refund.id },
    });
    t.store.switches.findFails = false;
    t.s.clock.advance(31_000);
    await t.work();
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toMatchObject({
      id: refund.id,
      status: 'succeeded',
    });
    expect(t.store.refunds).toHaveLength(1);
    expect(await t.made({ amount: '10.00' }, t.keyed('b'))).toMatchObject({ status: 'succeeded' });
  });

  test('with a crashed worker is not sent again before the store has had time to list the refund', async () => {
    const t = createRefundFixture();
    const { id, workspaceId } = await t.made({ amount: '10.00' }, { ...t.call, waitSeconds: 0 });
    await t.s.ports.transactions.run(async (tx) => {
      const claimed = await tx.refunds.claim(id, LEASE_SECONDS);
      return ok(claimed && (await tx.refunds.markSent(id, claimed.epoch)));
    });
    t.s.clock.advance((LEASE_SECONDS + 1) * 1000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'unknown' }]);
    expect(t.store.calls.refund).toBe(0);
    await sendRefund(t.s.ports, workspaceId, id);
    expect(t.store.calls.refund).toBe(0);
    t.s.clock.advance(180_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.calls.refund).toBe(1);
  });

  test('before the effect is sent again only after the store has had time to list the refund, and then once', async () => {
    const t = createRefundFixture();
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    expect(refund.status).toBe('unknown');
    await t.work();
    await sendRefund(t.s.ports, refund.workspaceId, refund.id);
    expect(t.store.calls.refund).toBe(1);
    t.s.clock.advance(120_000);
    await t.work();
    expect(t.store.calls.refund).toBe(2);
    expect(t.store.refunds).toHaveLength(1);
    expect(t.types()).toEqual(['refund.created', 'refund.succeeded']);
  });

  test('before the effect is sent again as soon as the store has had time, regardless of earlier checks', async () => {
    const t = createRefundFixture();
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    // The job of the request, which runs after its process should have ended, and a person who rechecks
    // early.
    t.s.clock.advance((LEASE_SECONDS + 1) * 1000);
    await t.work();
    await recheckRefund(t.s.ports, t.call, { refundId: refund.id });
    expect(await t.s.refunds()).toMatchObject([{ status: 'unknown' }]);
    t.s.clock.advance(18_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.calls.refund).toBe(2);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('that is detected too late is not repeated: the refund fails, and nothing is sent', async () => {
    const t = createRefundFixture();
    t.store.faults.push('lost-before');
    await t.made({ amount: '10.00' });
    t.s.clock.advance(3_600_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([
      { status: 'failed', error: { code: 'platform.unavailable' } },
    ]);
    expect(t.store.calls.refund).toBe(1);
    expect(await t.account()).toEqual(emptyAccount);
  });

  test('at a store without lookup requires a person, and is never sent again', async () => {
    const t = createRefundFixture({ readsBack: false });
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    expect(refund.status).toBe('needs_review');
    expect(t.types()).toEqual(['refund.created', 'refund.needs_review']);
    t.s.clock.advance(3_600_000);
    await t.work();
    const rechecked = await recheckRefund(t.s.ports, t.call, { refundId: refund.id });
    expect(rechecked).toMatchObject({ ok: true, value: { status: 'needs_review' } });
    expect(t.store.calls.refund).toBe(1);
    expect(await t.account()).toMatchObject({ reservedMinor: 1000, inFlight: refund.id });
  });

  describe('that its adapter reports as requiring a person', () => {
    const setUnclear = async () => {
      const t = createRefundFixture();
      t.store.faults.push('unclear');
      const { id } = await t.made({ amount: '10.00' });
      return { ...t, id, review: { id, status: 'needs_review', error: { code: 'refund.unclear' } } };
    };
    const held = (inFlight: string) => ({ reservedMinor: 1000, refundedMinor: 0, inFlight });

    test('requires a person at once, with the store’s message, and keeps its amount reserved', async () => {
      const t = await setUnclear();
      expect(await t.s.refunds()).toMatchObject([
        { ...t.review, error: { code: 'refund.unclear', platform: { name: 'Memory', message: 'an error' } } },
      ]);
      expect(await t.account()).toEqual(held(t.id));
      expect(t.types()).toEqual(['refund.created', 'refund.needs_review']);
      expect(await t.refund({ amount: '10.00', allowDuplicate: true })).toMatchObject({
        code: 'refund.in_doubt',
      });
    });

    test('remains so when a later check at the store finds nothing or gets no response', async () => {
      const t = await setUnclear();
      for (const findFails of [false, true]) {
        t.store.switches.findFails = findFails;
        t.s.clock.advance(3_600_000);
        await recheckRefund(t.s.ports, t.call, { refundId: t.id });
        await t.work();
        expect(await t.s.refunds()).toMatchObject([t.review]);
      }
      t.s.closed.add(t.connection.id);
      await recheckRefund(t.s.ports, t.call, { refundId: t.id });
      expect(await t.s.refunds()).toMatchObject([t.review]);
      expect(await t.account()).toEqual(held(t.id));
      expect(t.store.calls.refund).toBe(1);
    });

    test('is not sent again by the worker when a person’s check crashed half-way', async () => {
      const t = await setUnclear();
      await t.s.ports.transactions.run(async (tx) => {
        const current = await tx.refunds.find(t.call.workspaceId, t.id);
        const reopened = { status: 'unknown', nextAttemptAt: null } as const;
        return ok(current && (await tx.refunds.settle(t.id, current.epoch, reopened)));
      });
      t.s.clock.advance(60_000);
      await t.work();
      expect(await t.s.refunds()).toMatchObject([t.review]);
      expect(t.store.calls.refund).toBe(1);
    });

    test('is resolved when the store lists it after all, or a person resolves it', async () => {
      const shown = await setUnclear();
      shown.store.refundElsewhere('so_1', 1000, shown.id);
      await recheckRefund(shown.s.ports, shown.call, { refundId: shown.id });
      expect(await shown.s.refunds()).toMatchObject([{ status: 'succeeded', error: null }]);

      const said = await setUnclear();
      const resolved = await resolveRefund(said.s.ports, said.call, {
        refundId: said.id,
        outcome: 'succeeded',
      });
      expect(resolved).toMatchObject({ ok: true, value: { status: 'succeeded' } });
      expect(await said.account()).toEqual({ ...emptyAccount, refundedMinor: 1000 });
    });
  });

  describe('an error thrown by the adapter', () => {
    test('at the last check before sending sends nothing and releases everything', async () => {
      const t = createRefundFixture({ latencyMs: 100 });
      const refund = t.refund({ amount: '10.00' });
      await t.s.clock.sleep(150);
      t.store.switches.getThrows = true;
      expect(await refund).toMatchObject({ code: 'platform.invalid_response', effect: 'none' });
      expect(t.store.calls.refund).toBe(0);
      expect(await t.account()).toEqual(emptyAccount);
    });

    test('after sending leaves it unknown until the store is queried, and sends nothing twice', async () => {
      const t = createRefundFixture();
      t.store.faults.push('throws-after');
      t.store.switches.findThrows = true;
      const refund = await t.made({ amount: '10.00' });
      expect(refund.status).toBe('unknown');
      t.s.clock.advance(60_000);
      await t.work();
      expect(await t.account()).toEqual({ reservedMinor: 1000, refundedMinor: 0, inFlight: refund.id });
      t.store.switches.findThrows = false;
      t.s.clock.advance(600_000);
      await t.work();
      expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded', externalId: 're_1' }]);
      expect(t.store.calls.refund).toBe(1);
    });
  });

  test('that changes the amount requires a person', async () => {
    const t = createRefundFixture();
    t.store.faults.push('other-amount');
    expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'needs_review', externalId: 're_1' });
  });

  test('that lasts a day requires a person', async () => {
    const t = createRefundFixture();
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    await t.made({ amount: '10.00' });
    t.s.clock.advance(25 * 3_600_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review' }]);
  });
});

test('a clear rejection by the store is returned with its message, also on replay, and releases the amount', async () => {
  const t = createRefundFixture();
  t.store.faults.push('refuse');
  const refused = { code: 'refund.refused', effect: 'none', platform: { name: 'Memory', message: 'no' } };
  expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject(refused);
  expect(await t.account()).toEqual(emptyAccount);
  expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject(refused);
  expect(t.store.calls.refund).toBe(1);
});

test.each(['none', 'unreachable'] as const)(
  'a refund that settles while another of its order is planned is not reported as in doubt (fault: %s)',
  async (fault) => {
    const t = createRefundFixture();
    if (fault !== 'none') t.store.faults.push(fault);
    const settled = await t.refund({ amount: '10.00' }, t.keyed('a'));
    const { id } = 'failed' in settled ? (await t.s.refunds())[0]! : settled;
    // The account was read before the refund settled, and the refund after it.
    expect(await refuseInFlight(t.s.ports, t.call, t.orderId, id)).toMatchObject({
      ok: false,
      failure: { code: 'refund.in_progress', retryAfterSeconds: 1 },
    });
  },
);

describe('a store that settles later', () => {
  test('leaves the refund pending and blocks the order, until it has', async () => {
    const t = createRefundFixture();
    t.store.faults.push('settles-later');
    const refund = await t.made({ amount: '10.00' });
    expect(refund).toMatchObject({ status: 'pending', externalId: 're_1', moneyMoved: null });
    expect(await t.refund({ amount: '1.00' })).toMatchObject({ code: 'refund.in_progress' });
    t.s.clock.advance(6_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'pending' }]);
    t.store.settle('succeeded');
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded', moneyMoved: true }]);
    expect(await t.account()).toEqual({ ...emptyAccount, refundedMinor: 1000 });
    expect(t.store.calls.refund).toBe(1);
  });

  test('and reports a failure releases the amount', async () => {
    const t = createRefundFixture();
    t.store.faults.push('settles-later');
    await t.made({ amount: '10.00' });
    t.store.settle('failed');
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'failed', error: { code: 'refund.refused' } }]);
    expect(await t.account()).toEqual(emptyAccount);
  });

  test('and no longer lists the refund requires a person', async () => {
    const t = createRefundFixture();
    t.store.faults.push('settles-later');
    await t.made({ amount: '10.00' });
    t.store.switches.hidesRefunds = true;
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review' }]);
  });
});

describe('waiting', () => {
  test('ends with the caller’s deadline, and the refund continues without it', async () => {
    const t = createRefundFixture({ latencyMs: 3_000 });
    const refund = await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 2 }));
    expect(refund.status).toBe('pending');
    await t.s.clock.sleep(60_000);
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('is skipped on request, and the worker sends', async () => {
    const t = createRefundFixture();
    expect(await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 0 }))).toMatchObject({
      status: 'pending',
      sentAt: null,
    });
    expect(t.s.jobs()[0]?.startAfter?.getTime()).toBeLessThanOrEqual(t.s.clock.now().getTime());
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
  });

  test('a request that crashed after reserving is continued by the worker, and its repetition finds the refund', async () => {
    const t = createRefundFixture();
    await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 0, ...t.s.withKey(t.key, 'a') }));
    const [again] = await Promise.all([t.made({ amount: '10.00' }, t.keyed('a')), t.work()]);
    expect(again.status).toBe('succeeded');
    expect(t.store.refunds).toHaveLength(1);
  });
});
