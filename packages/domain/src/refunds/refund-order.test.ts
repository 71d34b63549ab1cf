import { describe, expect, test } from '@jest/globals';
import type { RefundFault } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { emptyAccount, createRefundFixture } from '../../testing/stores/refund-fixture.js';
import { seededRandom } from '../../testing/stores/seeded-random.js';
import type { Call } from '../call.js';
import type { RemoteOrder } from '../orders/order.js';
import { formatOrderId } from '../orders/order-id.js';
import { recheckRefund } from './recheck-refund.js';

test('an empty request refunds the entire remainder, once, and records the effect', async () => {
  const t = createRefundFixture();
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
  const faultsOf: readonly (RefundFault | null)[] = [
    null,
    null,
    'unreachable',
    'lost-before',
    'lost-after',
    'garbage-after',
    'refuse',
  ];
  for (let seed = 1; seed <= 25; seed++) {
    test(`with twenty concurrent requests with faults before and after the effect, with the seed ${seed}`, async () => {
      const random = seededRandom(seed * 104_729);
      const t = createRefundFixture({ acceptsOverRefunds: true, latencyMs: random.int(1, 300) });
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
      // The ledger and the store agree at the end.
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

test('of twenty concurrent refunds of more than half, one is made, the others are rejected as in progress or too large', async () => {
  const t = createRefundFixture({ acceptsOverRefunds: true });
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

test('a refund made in the store between reading and sending is detected before anything is sent', async () => {
  const t = createRefundFixture({ acceptsOverRefunds: true, latencyMs: 100 });
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

test('a store that does not list the last refund yet does not cause an over-refund', async () => {
  const t = createRefundFixture({ acceptsOverRefunds: true });
  t.store.switches.lags = true;
  await t.made({ amount: '30.00' });
  expect(await t.refund({ amount: '19.91' })).toMatchObject({
    code: 'refund.exceeds_refundable',
    details: { refundable: { amount: '19.90', currency: 'EUR' } },
  });
  expect(await t.made({ amount: '19.90' })).toMatchObject({ status: 'succeeded' });
});

test('two connections to the same store share one account of each order', async () => {
  const t = createRefundFixture({ acceptsOverRefunds: true });
  const twin = t.s.connect(t.store, { account: t.connection.account });
  const other = formatOrderId({ connectionId: twin.id, externalId: 'so_1' });
  const [one, two] = await Promise.all([
    t.refund({ amount: '30.00' }),
    t.refund({ orderId: other, amount: '30.00' }),
  ]);
  expect([one, two].filter((result) => 'failed' in result)).toHaveLength(1);
  expect(t.store.refundedMinor('so_1')).toBe(3000);
});

describe('a repeated request', () => {
  test('with its key returns the same refund, at once and later', async () => {
    const t = createRefundFixture();
    const first = await t.made({ amount: '10.00' }, t.keyed('a'));
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toEqual({ ...first, replayed: true });
    t.s.clock.advance(1_000 * 3600 * 24 * 30);
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toEqual({ ...first, replayed: true });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('with its key twenty times concurrently is one refund', async () => {
    const t = createRefundFixture({ acceptsOverRefunds: true });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => t.made({ amount: '1.00' }, t.keyed('a'))),
    );
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('with its key and another body is rejected and does nothing', async () => {
    const t = createRefundFixture();
    await t.made({ amount: '10.00' }, t.keyed('a', 'ten'));
    expect(await t.refund({ amount: '11.00' }, t.keyed('a', 'eleven'))).toMatchObject({
      code: 'idempotency.key_reused',
    });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('without a key within ten minutes is rejected as a possible duplicate, unless explicitly allowed', async () => {
    const t = createRefundFixture();
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

  test('is accepted again after ten minutes', async () => {
    const t = createRefundFixture();
    await t.made({ amount: '10.00' });
    t.s.clock.advance(11 * 60_000);
    expect(await t.refund({ amount: '10.00' })).toMatchObject({ status: 'succeeded' });
  });
});

describe('a key that does not reach the profile of another refund of the same order (finding 10)', () => {
  /** One store connected to two profiles, and a key that is restricted to the second. */
  const shared = () => {
    const t = createRefundFixture();
    const profile = t.s.build.profile(t.s.workspace);
    const second = t.s.connect(t.store, { profileId: profile.id, account: t.connection.account });
    const bound = t.s.call(t.s.key({ profileIds: [profile.id] }));
    const orderId = formatOrderId({ connectionId: second.id, externalId: 'so_1' });
    return { ...t, bound, orderId };
  };

  test('does not see its id when it is unknown, in progress, or a duplicate', async () => {
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

test('rechecking finds a refund that was made, and fails one that was certainly not made, without sending', async () => {
  const found = createRefundFixture();
  found.store.faults.push('lost-after');
  found.store.switches.findFails = true;
  const made = await found.made({ amount: '10.00' });
  found.store.switches.findFails = false;
  expect(await recheckRefund(found.s.ports, found.call, { refundId: made.id })).toMatchObject({
    value: { status: 'succeeded' },
  });

  const lost = createRefundFixture();
  lost.store.faults.push('lost-before');
  const missing = await lost.made({ amount: '10.00' });
  const recheck = () => recheckRefund(lost.s.ports, lost.call, { refundId: missing.id });
  expect(await recheck()).toMatchObject({ value: { status: 'unknown' } });
  lost.s.clock.advance(120_000);
  expect(await recheck()).toMatchObject({ value: { status: 'failed' } });
  expect(lost.store.calls.refund).toBe(1);
});

describe('a rejection names the call that continues from there', () => {
  test('an invalid quote is followed by a call that requests it again, unchanged', async () => {
    const t = createRefundFixture();
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

  test('a refund above the remainder, by one of the remainder: never more than requested', async () => {
    const t = createRefundFixture();
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

  test('a refund above a ceiling, by one of the amount that the key may still refund', async () => {
    const t = createRefundFixture(
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

describe('where a user can be asked', () => {
  const asking = (t: ReturnType<typeof createRefundFixture>): Call => ({ ...t.call, confirmed: false });

  test('nothing happens before they confirm, and the quote stays valid', async () => {
    const t = createRefundFixture();
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

  test.each<[string, Parameters<ReturnType<typeof createRefundFixture>['quote']>[0], readonly string[]]>([
    [
      'lines and shipping',
      { lineItems: [{ id: 'mug', quantity: 2 }], shipping: '0.90' },
      ['2 × “Mug Réserve 12oz”: 20.00 EUR.', 'Shipping: 0.90 EUR.'],
    ],
    [
      'the entire remainder',
      { full: true },
      [
        'Everything that remains of the order.',
        '3 × “Mug Réserve 12oz”: 30.00 EUR.',
        '1 × an item without a name: 15.00 EUR.',
        'Shipping: 4.90 EUR.',
      ],
    ],
    [
      'an amount with restocking',
      { amount: '1.00', lineItems: [{ id: 'mug', quantity: 1 }], linesAre: 'restock_only' },
      ['An amount, not particular items.', 'Only restocked: 1 × “Mug Réserve 12oz”.'],
    ],
  ])('they read what is refunded: %s', async (_what, extent, items) => {
    const order = remoteOrder();
    const [mug, poster] = order.lines;
    const lines = [
      { ...mug, title: 'Mug\n"Réserve" (12oz)!' },
      { ...poster, title: '\u202e' },
    ] as RemoteOrder['lines'];
    const t = createRefundFixture({ orders: [{ ...order, lines }] });
    const { quote } = await t.quote(extent);
    expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({ details: { items } });
  });

  test('they read no amounts of lines where the store calculates the refund differently', async () => {
    const t = createRefundFixture({ calculates: () => ({ linesMinor: 999, shippingMinor: 0 }) });
    const { quote } = await t.quote({ lineItems: [{ id: 'mug', quantity: 1 }] });
    expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({
      details: { amount: { amount: '9.99' }, items: ['1 × “Mug”.'] },
    });
  });

  test('they are not asked about what would be rejected anyway, or was already done', async () => {
    const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 100, perDayMinor: 100 }] };
    const poor = createRefundFixture({}, ceiling);
    const tooMuch = await poor.quote({ amount: '5.00' });
    expect(await poor.refund({ quoteId: tooMuch.quote.id }, asking(poor))).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
    const t = createRefundFixture();
    const { quote } = await t.quote({ amount: '5.00' });
    expect(await t.refund({ quoteId: 'quo_forged' }, asking(t))).toMatchObject({ code: 'quote.not_found' });
    await t.made({ quoteId: quote.id });
    expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({ status: 'succeeded' });
    const late = await t.quote({ amount: '1.00' });
    t.s.clock.advance(31 * 60_000);
    expect(await t.refund({ quoteId: late.quote.id }, asking(t))).toMatchObject({ code: 'quote.expired' });
  });
});
