import { describe, expect, test } from '@jest/globals';
import type { Fault } from '../../testing/stores/memory-store.js';
import { payment, remoteOrder } from '../../testing/stores/order-builder.js';
import { emptyAccount, refundSetting } from '../../testing/stores/refund-setting.js';
import { seeded } from '../../testing/stores/seeded.js';
import { chargedLineages, type ApiKey } from '../access/api-key.js';
import type { Policy } from '../access/policy.js';
import type { Call } from '../call.js';
import { ok } from '../result.js';
import { LEASE_SECONDS } from '../while-held.js';
import { getOrder } from '../orders/get-order.js';
import { listOrders } from '../orders/list-orders.js';
import { formatOrderId } from '../orders/order-id.js';
import { quoteRefund } from './quote-refund.js';
import { recheckRefund } from './recheck-refund.js';
import { refundOrder } from './refund-order.js';
import { resolveRefund } from './resolve-refund.js';
import { sendRefund } from './send-refund.js';

test('an empty request refunds all that is left, once, and writes down what happened', async () => {
  const t = refundSetting();
  const refund = await t.made();
  expect(refund).toMatchObject({
    status: 'succeeded',
    amount: { amountMinor: 4990 },
    externalId: 're_1',
    moneyMoved: true,
  });
  expect(t.store.refunds).toMatchObject([{ amount: { amountMinor: 4990 }, reference: refund.id }]);
  expect(await t.account()).toEqual({ ...emptyAccount, refundedMinor: 4990 });
  expect(t.types()).toEqual(['refund.created', 'refund.succeeded']);
  expect(t.s.jobs().map(({ job }) => job)).toMatchObject([{ name: 'settle_refund', refundId: refund.id }]);
  expect(await t.refund()).toMatchObject({ code: 'refund.exceeds_refundable' });
});

describe('never more than was captured, never twice', () => {
  const faultsOf: readonly (Fault | null)[] = [
    null,
    null,
    'unreachable',
    'lost-before',
    'lost-after',
    'garbage-after',
    'refuse',
  ];
  for (let seed = 1; seed <= 25; seed++) {
    test(`by twenty at once with faults before and after the effect, with the seed ${seed}`, async () => {
      const random = seeded(seed * 104_729);
      const t = refundSetting({ lax: true, latencyMs: random.int(1, 300) });
      const attempts = Array.from({ length: 20 }, (_, n) => ({
        amountMinor: random.int(100, 3000),
        as: random.next() < 0.5 ? t.keyed(`key-${random.int(1, 8)}`, 'one') : t.s.call(t.key),
        n,
      }));
      t.store.faults.push(
        ...Array.from({ length: 12 }, () => random.pick(faultsOf)).filter((fault) => fault !== null),
      );
      const wave = () =>
        Promise.all(
          attempts.map(async ({ amountMinor, as }) => {
            await t.s.clock.sleep(random.int(0, 500));
            const sameKeySameAmount = as.idempotency
              ? 1000 + Number(as.idempotency.key.slice(4))
              : amountMinor;
            return t.refund({ amount: (sameKeySameAmount / 100).toFixed(2), allowDuplicate: true }, as);
          }),
        );
      for (let round = 0; round < 3; round++) {
        if (round === 2) t.store.faults.length = 0;
        await wave();
        t.s.clock.advance(40_000);
        await t.work();
      }
      for (let round = 0; round < 5; round++) {
        t.s.clock.advance(700_000);
        await t.work();
      }
      expect(t.store.refundedMinor('so_1')).toBeLessThanOrEqual(4990);
      const references = t.store.refunds.map(({ reference }) => reference);
      expect(new Set(references).size).toBe(references.length);
      // Our books and the store's say the same in the end.
      const succeeded = (await t.s.refunds()).filter(({ status }) => status === 'succeeded');
      expect(succeeded.map(({ reference }) => reference).sort()).toEqual([...references].sort());
      expect(
        (await t.s.refunds()).filter(({ status }) => status !== 'succeeded' && status !== 'failed'),
      ).toEqual([]);
      expect(await t.account()).toEqual({ ...emptyAccount, refundedMinor: t.store.refundedMinor('so_1') });
      for (let name = 1; name <= 8; name++) {
        const found = await t.s.ports.refunds.findByIdempotencyKey(
          t.call.workspaceId,
          t.key.lineage,
          `key-${name}`,
        );
        if (found?.refund.status === 'succeeded') expect(found.refund.amount.amountMinor).toBe(1000 + name);
      }
      expect(succeeded.length).toBeGreaterThan(0);
    });
  }
});

test('twenty at once for more than half: one is made, the others are told to wait or that it is too much', async () => {
  const t = refundSetting({ lax: true });
  const results = await Promise.all(
    Array.from({ length: 20 }, () => t.refund({ amount: '30.00', allowDuplicate: true })),
  );
  expect(results.filter((result) => !('failed' in result))).toHaveLength(1);
  expect(t.store.refundedMinor('so_1')).toBe(3000);
  for (const result of results) {
    if ('failed' in result)
      expect(['refund.in_progress', 'refund.exceeds_refundable']).toContain(result.code);
  }
  expect(results.find((result) => 'failed' in result && result.code === 'refund.in_progress')).toMatchObject({
    retryAfterSeconds: 5,
  });
});

test('a refund made in the store between our look and our sending is noticed before anything is sent', async () => {
  const t = refundSetting({ lax: true, latencyMs: 100 });
  const refund = t.refund({ amount: '40.00' });
  await t.s.clock.sleep(150);
  t.store.refundElsewhere('so_1', 2000);
  expect(await refund).toMatchObject({
    code: 'refund.exceeds_refundable',
    details: { refundable: { amount: '29.90' } },
  });
  expect(t.store.calls.refund).toBe(0);
  expect(await t.account()).toEqual(emptyAccount);
});

test('a store that does not show our last refund yet cannot mislead us into one too many', async () => {
  const t = refundSetting({ lax: true });
  t.store.switches.lags = true;
  await t.made({ amount: '30.00' });
  expect(await t.refund({ amount: '19.91' })).toMatchObject({
    code: 'refund.exceeds_refundable',
    details: { refundable: { amount: '19.90', currency: 'EUR' } },
  });
  expect(await t.made({ amount: '19.90' })).toMatchObject({ status: 'succeeded' });
});

test('two connections to the same store share one account of each order', async () => {
  const t = refundSetting({ lax: true });
  const twin = t.s.connect(t.store, { account: t.connection.account });
  const other = formatOrderId({ connectionId: twin.id, externalId: 'so_1' });
  const [one, two] = await Promise.all([
    t.refund({ amount: '30.00' }),
    t.refund({ orderId: other, amount: '30.00' }),
  ]);
  expect([one, two].filter((result) => 'failed' in result)).toHaveLength(1);
  expect(t.store.refundedMinor('so_1')).toBe(3000);
});

describe('a request that is repeated', () => {
  test('with its key is answered with the refund it made, at once and later', async () => {
    const t = refundSetting();
    const first = await t.made({ amount: '10.00' }, t.keyed('a'));
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toEqual({ ...first, replayed: true });
    t.s.clock.advance(1_000 * 3600 * 24 * 30);
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toEqual({ ...first, replayed: true });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('with its key twenty times at once is one refund', async () => {
    const t = refundSetting({ lax: true });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => t.made({ amount: '1.00' }, t.keyed('a'))),
    );
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('with its key and another body is refused and does nothing', async () => {
    const t = refundSetting();
    await t.made({ amount: '10.00' }, t.keyed('a', 'ten'));
    expect(await t.refund({ amount: '11.00' }, t.keyed('a', 'eleven'))).toMatchObject({
      code: 'idempotency.key_reused',
    });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('without a key within ten minutes is suspected to be a mistake, unless it is said not to be', async () => {
    const t = refundSetting();
    const first = await t.made({ amount: '10.00' });
    expect(await t.refund({ amount: '10.00' })).toMatchObject({
      code: 'refund.possible_duplicate',
      details: { id: first.id },
    });
    await t.made({ amount: '10.01' });
    await t.made({ amount: '10.00', allowDuplicate: true });
    await t.made({ amount: '10.00' }, t.keyed('a'));
    t.s.clock.advance(11 * 60_000);
    expect(t.store.refunds).toHaveLength(4);
    expect(await t.refund({ amount: '9.89' })).toMatchObject({ status: 'succeeded' });
  });

  test('is let through again after ten minutes', async () => {
    const t = refundSetting();
    await t.made({ amount: '10.00' });
    t.s.clock.advance(11 * 60_000);
    expect(await t.refund({ amount: '10.00' })).toMatchObject({ status: 'succeeded' });
  });
});

describe('a fault', () => {
  test('before sending frees everything: the same key refunds as soon as the store is back', async () => {
    const t = refundSetting();
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

  test('of the grant is found before anything is reserved', async () => {
    const t = refundSetting();
    t.s.closed.add(t.connection.id);
    expect(await t.refund()).toMatchObject({ code: 'connection.needs_reauth' });
    expect(await t.s.refunds()).toEqual([]);
  });

  test('after the effect is read back in the same request', async () => {
    for (const fault of ['lost-after', 'garbage-after'] as const) {
      const t = refundSetting();
      t.store.faults.push(fault);
      expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'succeeded', externalId: 're_1' });
      expect(t.store.refunds).toHaveLength(1);
    }
  });

  test('with an outcome that stays unknown holds up every other refund of the order until it is known', async () => {
    const t = refundSetting();
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

  test('of which its worker died is not sent again before the store has had time to show it', async () => {
    const t = refundSetting();
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

  test('before the effect is sent again only when the store has had time to show it, and then once', async () => {
    const t = refundSetting();
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

  test('before the effect is sent again as soon as the store has had its time, however often it is looked up before', async () => {
    const t = refundSetting();
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    // The job of the request, which comes when its process should have ended, and people who cannot wait.
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

  test('that is noticed too late is not made up for: it fails, and nothing is sent', async () => {
    const t = refundSetting();
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

  test('at a store that cannot be asked is for a person, and is never sent again', async () => {
    const t = refundSetting({ readsBack: false });
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

  describe('of which its adapter says that only a person can tell', () => {
    const setUnclear = async () => {
      const t = refundSetting();
      t.store.faults.push('unclear');
      const { id } = await t.made({ amount: '10.00' });
      return { ...t, id, review: { id, status: 'needs_review', error: { code: 'refund.unclear' } } };
    };
    const held = (inFlight: string) => ({ reservedMinor: 1000, refundedMinor: 0, inFlight });

    test('is for a person at once, with the store’s words, and holds its money', async () => {
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

    test('stays so when the store, asked again, does not show it or does not answer', async () => {
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

    test('is not sent again by the worker when somebody’s look at it died half-way', async () => {
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

    test('is made when the store shows it after all, or a person says so', async () => {
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

  describe('in the adapter, which throws,', () => {
    test('at the last look before sending sends nothing and frees everything', async () => {
      const t = refundSetting({ latencyMs: 100 });
      const refund = t.refund({ amount: '10.00' });
      await t.s.clock.sleep(150);
      t.store.switches.getThrows = true;
      expect(await refund).toMatchObject({ code: 'platform.invalid_response', effect: 'none' });
      expect(t.store.calls.refund).toBe(0);
      expect(await t.account()).toEqual(emptyAccount);
    });

    test('once it was sent leaves it unknown until the store is asked, and sends nothing twice', async () => {
      const t = refundSetting();
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

  test('that makes another amount is for a person', async () => {
    const t = refundSetting();
    t.store.faults.push('other-amount');
    expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'needs_review', externalId: 're_1' });
  });

  test('that lasts a day is for a person', async () => {
    const t = refundSetting();
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    await t.made({ amount: '10.00' });
    t.s.clock.advance(25 * 3_600_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review' }]);
  });
});

test('a clear refusal of the store is told with its words, again too, and frees the money', async () => {
  const t = refundSetting();
  t.store.faults.push('refuse');
  const refused = { code: 'refund.refused', effect: 'none', platform: { name: 'Memory', message: 'no' } };
  expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject(refused);
  expect(await t.account()).toEqual(emptyAccount);
  expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject(refused);
  expect(t.store.calls.refund).toBe(1);
});

describe('a store that settles later', () => {
  test('leaves the refund pending and the order held, until it has', async () => {
    const t = refundSetting();
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

  test('and fails frees the money', async () => {
    const t = refundSetting();
    t.store.faults.push('settles-later');
    await t.made({ amount: '10.00' });
    t.store.settle('failed');
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'failed', error: { code: 'refund.refused' } }]);
    expect(await t.account()).toEqual(emptyAccount);
  });

  test('and forgets it is for a person', async () => {
    const t = refundSetting();
    t.store.faults.push('settles-later');
    await t.made({ amount: '10.00' });
    t.store.switches.hidesRefunds = true;
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review' }]);
  });
});

describe('waiting', () => {
  test('ends when the caller’s patience does, and the refund goes on without it', async () => {
    const t = refundSetting({ latencyMs: 3_000 });
    const refund = await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 2 }));
    expect(refund.status).toBe('pending');
    await t.s.clock.sleep(60_000);
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('is left out by who does not want to, and the worker sends', async () => {
    const t = refundSetting();
    expect(await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 0 }))).toMatchObject({
      status: 'pending',
      sentAt: null,
    });
    expect(t.s.jobs()[0]?.startAfter?.getTime()).toBeLessThanOrEqual(t.s.clock.now().getTime());
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
  });

  test('a request that died after reserving is taken up by the worker, and its repetition finds the refund', async () => {
    const t = refundSetting();
    await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 0, ...t.s.withKey(t.key, 'a') }));
    const [again] = await Promise.all([t.made({ amount: '10.00' }, t.keyed('a')), t.work()]);
    expect(again.status).toBe('succeeded');
    expect(t.store.refunds).toHaveLength(1);
  });
});

const orderOf = (t: ReturnType<typeof refundSetting>, n: number) =>
  formatOrderId({ connectionId: t.connection.id, externalId: `so_${n}` });

describe('a ceiling', () => {
  const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1500 }] };
  const orders = Array.from({ length: 20 }, (_, n) => remoteOrder({ externalId: `so_${n}` }));

  test('holds for a refund, for a day and for every currency', async () => {
    const t = refundSetting({ orders: [...orders, remoteOrder({ externalId: 'yen' }, 'JPY')] }, ceiling);
    expect(await t.refund({ amount: '10.01' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
      details: { ceilingRemaining: [{ currency: 'EUR', per_refund: '10.00', per_day_left: '15.00' }] },
    });
    await t.made({ amount: '10.00' });
    expect(await t.refund({ amount: '5.01' })).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    const yen = formatOrderId({ connectionId: t.connection.id, externalId: 'yen' });
    expect(await t.refund({ orderId: yen, amount: '1' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
    await t.made({ amount: '5.00' });
    t.s.clock.advance(24 * 3_600_000);
    expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'succeeded' });
  });

  test('holds against twenty at once on twenty orders', async () => {
    const t = refundSetting({ orders }, ceiling);
    await Promise.all(
      orders.map(({ externalId }) =>
        t.refund({ orderId: formatOrderId({ connectionId: t.connection.id, externalId }), amount: '4.00' }),
      ),
    );
    expect(t.store.refunds).toHaveLength(3);
  });

  test('counts what is unknown, and not what failed', async () => {
    const t = refundSetting({ orders }, ceiling);
    const of = (externalId: string) => formatOrderId({ connectionId: t.connection.id, externalId });
    t.store.faults.push('refuse');
    expect(await t.refund({ orderId: of('so_1'), amount: '10.00' })).toMatchObject({
      code: 'refund.refused',
    });
    t.store.faults.push('lost-before');
    await t.made({ orderId: of('so_2'), amount: '10.00' });
    expect(await t.refund({ orderId: of('so_3'), amount: '10.00' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
  });

  test('counts what descendants refund, whichever of them and however many there are (finding 2)', async () => {
    const t = refundSetting({ orders }, ceiling);
    await t.s.store(t.key);
    const childOf = async (maker: ApiKey, policy: Partial<Policy> = ceiling) => {
      const key = { ...t.s.key(policy), ancestors: chargedLineages(maker) };
      await t.s.store(key);
      return key;
    };
    const [first, second] = [await childOf(t.key), await childOf(t.key)];
    const grandchild = await childOf(second, {});
    const refundAs = (key: ApiKey, n: number, amount: string) =>
      t.refund({ orderId: orderOf(t, n), amount }, t.s.call(key));
    expect(await refundAs(first, 1, '6.00')).toMatchObject({ status: 'succeeded' });
    expect(await refundAs(grandchild, 2, '6.00')).toMatchObject({ status: 'succeeded' });
    const exceeded = {
      code: 'key.refund_ceiling_exceeded',
      details: { ceilingRemaining: [{ currency: 'EUR', per_refund: '10.00', per_day_left: '3.00' }] },
    };
    for (const key of [first, second, grandchild, t.key])
      expect(await refundAs(key, 3, '3.01')).toMatchObject(exceeded);
    const others = await childOf(t.key);
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        refundAs([first, second, grandchild, others][n % 4] ?? first, n + 4, '1.00'),
      ),
    );
    expect(t.store.refunds.reduce((sum, { amount }) => sum + amount.amountMinor, 0)).toBe(1500);
  });

  test('of an ancestor is that of its current key, also when that was revoked or narrowed (finding 2)', async () => {
    const t = refundSetting({ orders }, ceiling);
    const next = { ...t.s.key(ceiling), lineage: t.key.lineage };
    await t.s.store({ ...t.key, replacedBy: next.id });
    await t.s.store({
      ...next,
      revokedAt: t.s.clock.now(),
      policy: {
        ...next.policy,
        refundCeilings: [{ currency: 'EUR', perRefundMinor: 400, perDayMinor: 700 }],
      },
    });
    const child = { ...t.s.key(), ancestors: [t.key.lineage] };
    const as = t.s.call(child);
    expect(await t.refund({ amount: '4.01' }, as)).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    await t.made({ amount: '4.00' }, as);
    expect(await t.refund({ amount: '3.01' }, as)).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    await t.made({ amount: '3.00' }, as);
  });

  test('is shared by a key and what it was rotated into', async () => {
    const t = refundSetting({ orders }, ceiling);
    await t.made({ amount: '10.00' });
    const rotated = { ...t.s.key(ceiling), lineage: t.key.lineage };
    expect(await t.refund({ amount: '5.01' }, t.s.call(rotated))).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
  });
});

describe('a quote that was used (finding 7)', () => {
  const used = async (fault?: Fault) => {
    const t = refundSetting({ orders: [remoteOrder(), remoteOrder({ externalId: 'so_2' })] });
    const { quote } = await t.quote({ amount: '10.00' });
    if (fault) t.store.faults.push(fault);
    const first = await t.refund({ quoteId: quote.id });
    return { ...t, quoteId: quote.id, first };
  };

  test('is answered as replayed, and the first time not', async () => {
    const t = await used();
    expect(t.first).toMatchObject({ status: 'succeeded', replayed: false });
    expect(await t.refund({ quoteId: t.quoteId })).toMatchObject({ status: 'succeeded', replayed: true });
    const declined = await used('refuse');
    expect(declined.first).toMatchObject({ code: 'refund.refused', replayed: false });
    expect(await declined.refund({ quoteId: declined.quoteId })).toMatchObject({
      code: 'refund.refused',
      replayed: true,
    });
  });

  test('is not found at another order’s path', async () => {
    const t = await used();
    for (const orderId of ['ord_bogus', formatOrderId({ connectionId: t.connection.id, externalId: 'so_2' })])
      expect(await t.refund({ orderId, quoteId: t.quoteId })).toMatchObject({ code: 'quote.not_found' });
  });

  test('is answered under the policy of today, and so is an idempotency key', async () => {
    const t = await used();
    await t.made({ amount: '11.00' }, t.keyed('a'));
    const elsewhere = t.s.build.profile(t.s.workspace);
    const narrowed = { ...t.key, policy: { ...t.key.policy, profileIds: [elsewhere.id] } };
    const as = t.s.call(narrowed);
    expect(await t.refund({ quoteId: t.quoteId }, as)).toMatchObject({ code: 'key.policy_exceeded' });
    const keyed = t.s.call(narrowed, t.s.withKey(narrowed, 'a'));
    expect(await t.refund({ amount: '11.00' }, keyed)).toMatchObject({ code: 'key.policy_exceeded' });
  });
});

describe('a key that does not reach the profile of another refund of the same order (finding 10)', () => {
  /** One store connected to two profiles, and a key that is bound to the second. */
  const shared = () => {
    const t = refundSetting();
    const profile = t.s.build.profile(t.s.workspace);
    const second = t.s.connect(t.store, { profileId: profile.id, account: t.connection.account });
    const bound = t.s.call(t.s.key({ profileIds: [profile.id] }));
    const orderId = formatOrderId({ connectionId: second.id, externalId: 'so_1' });
    return { ...t, bound, orderId };
  };

  test('is not told its id when it is in doubt, under way, or the same', async () => {
    for (const [fault, code] of [
      ['unclear', 'refund.in_doubt'],
      ['settles-later', 'refund.in_progress'],
      [undefined, 'refund.possible_duplicate'],
    ] as const) {
      const t = shared();
      if (fault) t.store.faults.push(fault);
      const { id } = await t.made({ amount: '10.00' });
      const refused = await t.refund({ orderId: t.orderId, amount: '10.00' }, t.bound);
      expect(refused).toMatchObject({ code });
      expect(JSON.stringify(refused)).not.toContain(id);
      const own = t.s.call(t.s.key());
      expect(JSON.stringify(await t.refund({ orderId: t.orderId, amount: '10.00' }, own))).toContain(id);
    }
  });
});

describe('an order of which our ledger knows more than its store (finding 30)', () => {
  const resolved = async () => {
    const t = refundSetting();
    t.store.faults.push('unclear');
    const { id } = await t.made({ lineItems: [{ id: 'mug', quantity: 1 }] });
    await resolveRefund(t.s.ports, t.call, { refundId: id, outcome: 'succeeded' });
    const order = async () => {
      const found = await getOrder(t.s.ports, t.call, { orderId: t.orderId });
      if (!found.ok) throw new Error(found.failure.code);
      return found.value.order;
    };
    return { ...t, id, order };
  };

  test('leaves less by a refund that a person recorded as succeeded, in the order, the list and the quote', async () => {
    const t = await resolved();
    const shown = {
      totals: { refunded: { amountMinor: 1000 }, refundable: { amountMinor: 3990 } },
      payments: [{ refundable: { amountMinor: 3990 } }],
    };
    const order = await t.order();
    expect(order).toMatchObject(shown);
    const before = remoteOrder().lines.find(({ id }) => id === 'mug')?.refundableQuantity ?? 0;
    expect(order.lines.find(({ id }) => id === 'mug')?.refundableQuantity).toBe(before - 1);
    const list = await listOrders(t.s.ports, t.call, { sort: '-created_at', limit: 20 });
    expect(list).toMatchObject({ ok: true, value: { items: [{ order: shown }] } });

    const { quote } = await t.quote();
    expect(quote).toMatchObject({ amount: { amountMinor: 3990 }, refundableAfter: { amountMinor: 0 } });
    expect(await t.made({ quoteId: quote.id })).toMatchObject({ status: 'succeeded' });
    expect(await t.account()).toEqual({ ...emptyAccount, refundedMinor: 4990 });
    expect((await t.order()).totals.refundable.amountMinor).toBe(0);
  });

  test('counts what was refunded in the store besides, and never twice what the store shows later', async () => {
    const t = await resolved();
    t.store.refundElsewhere('so_1', 2000);
    expect((await t.order()).totals.refundable.amountMinor).toBe(1990);
    expect(await t.refund({ amount: '19.91' })).toMatchObject({
      code: 'refund.exceeds_refundable',
      details: { refundable: { amount: '19.90' } },
    });
    t.store.refundElsewhere('so_1', 1000, t.id);
    expect((await t.order()).totals.refundable.amountMinor).toBe(1990);
    expect(await t.made({ amount: '19.90' })).toMatchObject({ status: 'succeeded' });
  });

  test('holds back a refund of unknown outcome, and refuses a quote as it refuses the refund', async () => {
    for (const [fault, code, status] of [
      ['unclear', 'refund.in_doubt', []],
      ['settles-later', 'refund.in_progress', [{ status: 'pending', moneyMoved: null }]],
    ] as const) {
      const t = refundSetting();
      t.store.faults.push(fault);
      const { id } = await t.made({ amount: '10.00' });
      const shown = await getOrder(t.s.ports, t.call, { orderId: t.orderId });
      expect(shown).toMatchObject({
        value: {
          order: {
            totals: { refunded: { amountMinor: 0 }, refundable: { amountMinor: 3990 } },
            refunds: status,
          },
        },
      });
      for (const ask of [{ full: true }, { amount: '1.00' }, { amount: '45.00' }]) {
        const quoted = await quoteRefund(t.s.ports, t.call, { orderId: t.orderId, ...ask });
        expect(quoted).toMatchObject({ failure: { code, details: { id } } });
        expect(await t.refund(ask)).toMatchObject({ code, details: { id } });
      }
    }
  });

  test('ends a quote that was made before a person recorded the refund', async () => {
    const t = refundSetting();
    const { quote } = await t.quote();
    t.store.faults.push('unclear');
    const { id } = await t.made({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({ code: 'refund.in_doubt' });
    await resolveRefund(t.s.ports, t.call, { refundId: id, outcome: 'succeeded' });
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({ code: 'quote.changed' });
  });
});

describe('a quote', () => {
  test('says exactly what will happen and moves nothing', async () => {
    const t = refundSetting(
      {},
      { refundCeilings: [{ currency: 'EUR', perRefundMinor: 5000, perDayMinor: 9000 }] },
    );
    const quoted = await t.quote({
      lineItems: [{ id: 'mug', quantity: 1, restock: true }],
      shipping: '0.90',
      notifyCustomer: false,
    });
    expect(quoted).toMatchObject({
      quote: {
        amount: { amountMinor: 1090 },
        refundableAfter: { amountMinor: 3900 },
        expiresAt: t.s.clock.after(30 * 60_000),
      },
      breakdown: { linesMinor: 1000, shippingMinor: 90, otherMinor: 0 },
      restock: true,
      customerNotified: 'no',
      ceilingRemaining: [{ currency: 'EUR', perRefundMinor: 5000, perDayLeftMinor: 9000 }],
    });
    expect(quoted.consequences).toEqual([
      'Memory store sends 10.90 EUR back to the customer. This cannot be undone.',
      '1 item goes back into stock.',
      'The store does not tell the customer.',
      '39.00 EUR can still be refunded of this order afterwards.',
    ]);
    expect(t.store.calls.refund).toBe(0);
    expect(await t.s.refunds()).toEqual([]);
  });

  test('says what the store says that lines and shipping come to, and refunds exactly that', async () => {
    const t = refundSetting({
      calculates: ({ lines, shippingMinor }) => ({
        linesMinor: 999 * lines.length,
        shippingMinor: shippingMinor - 1,
      }),
    });
    const quoted = await t.quote({ lineItems: [{ id: 'mug', quantity: 1 }], shipping: '0.90' });
    expect(quoted).toMatchObject({
      quote: { amount: { amountMinor: 1088 } },
      breakdown: { linesMinor: 999, shippingMinor: 89, otherMinor: 0 },
    });
    const refund = await refundOrder(t.s.ports, t.call, { quoteId: quoted.quote.id });
    expect(refund).toMatchObject({ ok: true, value: { amount: { amountMinor: 1088 } } });
    expect(t.store.refundedMinor('so_1')).toBe(1088);
    expect(await t.made({ amount: '1.00' })).toMatchObject({ amount: { amountMinor: 100 } });
  });

  test('is refunded once, however often it is used, and needs no order id', async () => {
    const t = refundSetting();
    const { quote } = await t.quote({ amount: '10.00' });
    const use = () => refundOrder(t.s.ports, t.call, { quoteId: quote.id });
    const results = await Promise.all([use(), use(), use()]);
    const later = await use();
    expect(
      new Set([...results, later].map((result) => (result.ok ? result.value.id : result.failure.code))).size,
    ).toBe(1);
    expect(t.store.refunds).toMatchObject([{ amount: { amountMinor: 1000 } }]);
  });

  test('asked for again while it is being used names the refund, also when the order was read after the money had moved', async () => {
    const t = refundSetting();
    const { quote } = await t.quote({ amount: '10.00' });
    const { get } = t.store.platform.orders ?? {};
    let reads = 0;
    Object.assign(t.store.platform.orders ?? {}, {
      get: async (...asked: Parameters<NonNullable<typeof get>>) => {
        if (++reads === 2) await t.s.clock.sleep(1000);
        return get?.(...asked);
      },
    });
    const [first, second] = await Promise.all([
      t.refund({ quoteId: quote.id }),
      t.refund({ quoteId: quote.id }),
    ]);
    expect(first).toMatchObject({ status: 'succeeded' });
    expect(second).toEqual({ ...first, replayed: true });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('says everything: no other field goes with it', async () => {
    const t = refundSetting();
    const { quote } = await t.quote({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id, amount: '11.00' })).toMatchObject({
      code: 'refund.extent_conflict',
    });
  });

  test('ends after thirty minutes, but what it made is still found by it', async () => {
    const t = refundSetting();
    const [used, unused] = [await t.quote({ amount: '10.00' }), await t.quote({ amount: '10.00' })];
    const refund = await t.made({ quoteId: used.quote.id });
    t.s.clock.advance(30 * 60_000);
    expect(await t.refund({ quoteId: unused.quote.id })).toMatchObject({ code: 'quote.expired' });
    expect(await t.made({ quoteId: used.quote.id })).toMatchObject({ id: refund.id });
  });

  test('ends when the order’s money changes, and not when its note does', async () => {
    const t = refundSetting();
    const [one, two] = [await t.quote({ amount: '10.00' }), await t.quote({ amount: '10.00' })];
    t.store.put(remoteOrder({ note: 'call first', updatedAt: t.s.clock.now() }));
    await t.made({ quoteId: one.quote.id });
    expect(await t.refund({ quoteId: two.quote.id })).toMatchObject({ code: 'quote.changed' });
  });

  test('of another key, of another order, or of nobody is not found', async () => {
    const t = refundSetting({ orders: [remoteOrder(), remoteOrder({ externalId: 'so_2' })] });
    const { quote } = await t.quote({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id }, t.s.call(t.s.key()))).toMatchObject({
      code: 'quote.not_found',
    });
    const other = formatOrderId({ connectionId: t.connection.id, externalId: 'so_2' });
    expect(await t.refund({ orderId: other, quoteId: quote.id })).toMatchObject({ code: 'quote.not_found' });
    expect(await t.refund({ quoteId: 'quo_nonsense' })).toMatchObject({ code: 'quote.not_found' });
    expect(t.store.calls.refund).toBe(0);
  });

  test('may be used again when nothing was sent', async () => {
    const t = refundSetting();
    const { quote } = await t.quote({ amount: '10.00' });
    t.store.faults.push('unreachable');
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({
      code: 'platform.unavailable',
      effect: 'none',
    });
    expect(await t.made({ quoteId: quote.id })).toMatchObject({ status: 'succeeded' });
  });
});

test('what is expected to be refundable must be', async () => {
  const t = refundSetting();
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

test('a refund that is only booked says that no money moved', async () => {
  const t = refundSetting({ orders: [remoteOrder({ payments: [payment('transfer', 4990, 'EUR', false)] })] });
  expect(await t.refund({ amount: '10.00' })).toMatchObject({ code: 'refund.offline_only' });
  expect(await t.made({ amount: '10.00', allowOffline: true })).toMatchObject({
    status: 'succeeded',
    moneyMoved: false,
  });
});

test('an order out of reach, of nobody, or no order at all is not found', async () => {
  const t = refundSetting();
  const stranger = t.s.call(t.s.key({ profileIds: [t.s.build.profile(t.s.workspace).id] }));
  expect(await t.refund({}, stranger)).toMatchObject({ code: 'order.not_found' });
  expect(await t.refund({ orderId: 'ord_nonsense' })).toMatchObject({ code: 'order.not_found' });
  expect(await t.refund({ orderId: undefined })).toMatchObject({ code: 'order.not_found' });
  const gone = formatOrderId({ connectionId: t.connection.id, externalId: 'so_404' });
  expect(await t.refund({ orderId: gone })).toMatchObject({ code: 'order.not_found' });
});

describe('resolving', () => {
  async function doubtful() {
    const t = refundSetting({ readsBack: false });
    t.store.faults.push('lost-after');
    const refund = await t.made({ amount: '10.00' });
    const resolve = (outcome: 'succeeded' | 'failed', more: { externalId?: string; note?: string } = {}) =>
      resolveRefund(t.s.ports, t.call, { refundId: refund.id, outcome, ...more });
    return { ...t, resolve, id: refund.id };
  }

  test('as made spends the money, and as not made frees it', async () => {
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

  test('happens once, however many do it at once', async () => {
    const t = await doubtful();
    const results = await Promise.all([t.resolve('failed'), t.resolve('succeeded'), t.resolve('failed')]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.find((result) => !result.ok)).toMatchObject({ failure: { code: 'refund.settled' } });
  });

  test('waits for whoever is reading back, and wins over nobody', async () => {
    const t = refundSetting({ latencyMs: 100 });
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

  test('is not for a stranger’s eyes', async () => {
    const t = await doubtful();
    const stranger = t.s.call(t.s.key({ profileIds: [t.s.build.profile(t.s.workspace).id] }));
    const result = await resolveRefund(t.s.ports, stranger, { refundId: t.id, outcome: 'failed' });
    expect(result).toMatchObject({ ok: false, failure: { code: 'refund.not_found' } });
  });
});

test('rechecking finds what was made, and fails what was certainly not made, without sending', async () => {
  const found = refundSetting();
  found.store.faults.push('lost-after');
  found.store.switches.findFails = true;
  const made = await found.made({ amount: '10.00' });
  found.store.switches.findFails = false;
  expect(await recheckRefund(found.s.ports, found.call, { refundId: made.id })).toMatchObject({
    value: { status: 'succeeded' },
  });

  const lost = refundSetting();
  lost.store.faults.push('lost-before');
  const missing = await lost.made({ amount: '10.00' });
  const recheck = () => recheckRefund(lost.s.ports, lost.call, { refundId: missing.id });
  expect(await recheck()).toMatchObject({ value: { status: 'unknown' } });
  lost.s.clock.advance(120_000);
  expect(await recheck()).toMatchObject({ value: { status: 'failed' } });
  expect(lost.store.calls.refund).toBe(1);
});

describe('what is refused names the call that goes on from there', () => {
  test('a quote that is not good any more is asked for again, exactly as it was', async () => {
    const t = refundSetting();
    const asked = { amount: '5.00', reason: 'damaged', note: 'as agreed', notifyCustomer: true };
    const old = await t.quote(asked);
    t.s.clock.advance(31 * 60_000);
    const expired = await t.refund({ quoteId: old.quote.id });
    expect(expired).toMatchObject({
      code: 'quote.expired',
      next: {
        operation: 'quoteRefund',
        arguments: {
          order_id: t.orderId,
          amount: '5.00',
          reason: 'damaged',
          note: 'as agreed',
          notify_customer: true,
        },
      },
    });
    const changed = await t.quote({
      lineItems: [{ id: 'mug', quantity: 1, restock: true }],
      shipping: 'full',
    });
    await t.made({ amount: '1.00' });
    expect(await t.refund({ quoteId: changed.quote.id })).toMatchObject({
      code: 'quote.changed',
      next: {
        operation: 'quoteRefund',
        arguments: { line_items: [{ id: 'mug', quantity: 1, restock: true }] },
      },
    });
    const whole = await t.quote();
    await t.made({ amount: '1.00', allowDuplicate: true });
    expect(await t.refund({ quoteId: whole.quote.id })).toMatchObject({
      next: { operation: 'quoteRefund', arguments: { order_id: t.orderId, full: true } },
    });
  });

  test('of more than there is, as much as there is: never more than was asked for', async () => {
    const t = refundSetting();
    expect(await t.refund({ amount: '60.00' })).toMatchObject({
      code: 'refund.exceeds_refundable',
      next: { operation: 'quoteRefund', arguments: { order_id: t.orderId, amount: '49.90' } },
    });
    expect(await t.refund({ lineItems: [{ id: 'mug', quantity: 99 }] })).toMatchObject({
      code: 'refund.exceeds_refundable',
      next: { operation: 'getOrder', arguments: { order_id: t.orderId } },
    });
    await t.made();
    expect(await t.refund({ amount: '1.00' })).toMatchObject({ next: { operation: 'getOrder' } });
  });

  test('above a ceiling, what the key may still refund', async () => {
    const t = refundSetting(
      {},
      { refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1500 }] },
    );
    await t.made({ amount: '10.00' });
    expect(await t.refund({ amount: '6.00' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
      next: { operation: 'quoteRefund', arguments: { amount: '5.00' } },
    });
    await t.made({ amount: '5.00' });
    expect(await t.refund({ amount: '4.00' })).toMatchObject({ next: { operation: 'getOrder' } });
  });
});

describe('where a person can be asked', () => {
  const asking = (t: ReturnType<typeof refundSetting>): Call => ({ ...t.call, confirmed: false });

  test('nothing happens before they agreed, and the quote stays good', async () => {
    const t = refundSetting();
    const { quote } = await t.quote({ amount: '5.00' });
    for (const _ of [1, 2]) {
      expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({
        code: 'refund.not_confirmed',
        details: {
          orderId: t.orderId,
          amount: { amount: '5.00', currency: 'EUR' },
          consequences: expect.arrayContaining([expect.stringContaining('cannot be undone')]),
        },
      });
    }
    expect(t.store.refunds).toEqual([]);
    expect(t.types()).toEqual([]);
    const agreed = { ...t.call, confirmed: true };
    expect(await t.refund({ quoteId: quote.id }, agreed)).toMatchObject({ status: 'succeeded' });
  });

  test('they are not bothered with what would be refused anyway, nor with what was done already', async () => {
    const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 100, perDayMinor: 100 }] };
    const poor = refundSetting({}, ceiling);
    const tooMuch = await poor.quote({ amount: '5.00' });
    expect(await poor.refund({ quoteId: tooMuch.quote.id }, asking(poor))).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
    const t = refundSetting();
    const { quote } = await t.quote({ amount: '5.00' });
    expect(await t.refund({ quoteId: 'quo_forged' }, asking(t))).toMatchObject({ code: 'quote.not_found' });
    await t.made({ quoteId: quote.id });
    expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({ status: 'succeeded' });
    const late = await t.quote({ amount: '1.00' });
    t.s.clock.advance(31 * 60_000);
    expect(await t.refund({ quoteId: late.quote.id }, asking(t))).toMatchObject({ code: 'quote.expired' });
  });
});
