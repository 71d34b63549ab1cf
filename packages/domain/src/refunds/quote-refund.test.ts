import { describe, expect, test } from '@jest/globals';
import type { RefundFault } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createRefundFixture } from '../../testing/stores/refund-fixture.js';
import { formatOrderId } from '../orders/order-id.js';
import { refundOrder } from './refund-order.js';

describe('a quote', () => {
  test('describes the exact effect and moves nothing', async () => {
    const t = createRefundFixture(
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
      'Memory store returns 10.90 EUR to the customer. This cannot be undone.',
      '1 item is restocked.',
      'The store does not notify the customer.',
      'Afterwards 39.00 EUR of this order can still be refunded.',
    ]);
    expect(t.store.calls.refund).toBe(0);
    expect(await t.s.refunds()).toEqual([]);
  });

  test('returns the store’s own calculation of lines and shipping, and refunds exactly that', async () => {
    const t = createRefundFixture({
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

  test('is refunded once, regardless of how often it is used, and needs no order id', async () => {
    const t = createRefundFixture();
    const { quote } = await t.quote({ amount: '10.00' });
    const use = () => refundOrder(t.s.ports, t.call, { quoteId: quote.id });
    const results = await Promise.all([use(), use(), use()]);
    const later = await use();
    expect(
      new Set([...results, later].map((result) => (result.ok ? result.value.id : result.failure.code))).size,
    ).toBe(1);
    expect(t.store.refunds).toMatchObject([{ amount: { amountMinor: 1000 } }]);
  });

  test('that is used concurrently returns the same refund, also when the order was read after the money had moved', async () => {
    const t = createRefundFixture();
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

  test('is complete: no other field may be combined with it', async () => {
    const t = createRefundFixture();
    const { quote } = await t.quote({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id, amount: '11.00' })).toMatchObject({
      code: 'refund.extent_conflict',
    });
  });

  test('expires after thirty minutes, but its refund is still found by it', async () => {
    const t = createRefundFixture();
    const [used, unused] = [await t.quote({ amount: '10.00' }), await t.quote({ amount: '10.00' })];
    const refund = await t.made({ quoteId: used.quote.id });
    t.s.clock.advance(30 * 60_000);
    expect(await t.refund({ quoteId: unused.quote.id })).toMatchObject({ code: 'quote.expired' });
    expect(await t.made({ quoteId: used.quote.id })).toMatchObject({ id: refund.id });
  });

  test('is invalidated by a change of the order’s money, and not by one of its note', async () => {
    const t = createRefundFixture();
    const [one, two] = [await t.quote({ amount: '10.00' }), await t.quote({ amount: '10.00' })];
    t.store.put(remoteOrder({ note: 'call first', updatedAt: t.s.clock.now() }));
    await t.made({ quoteId: one.quote.id });
    expect(await t.refund({ quoteId: two.quote.id })).toMatchObject({ code: 'quote.changed' });
  });

  test('of another key, of another order, or with an unknown id is not found', async () => {
    const t = createRefundFixture({ orders: [remoteOrder(), remoteOrder({ externalId: 'so_2' })] });
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
    const t = createRefundFixture();
    const { quote } = await t.quote({ amount: '10.00' });
    t.store.faults.push('unreachable');
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({
      code: 'platform.unavailable',
      effect: 'none',
    });
    expect(await t.made({ quoteId: quote.id })).toMatchObject({ status: 'succeeded' });
  });
});

describe('a quote that was used (finding 7)', () => {
  const used = async (fault?: RefundFault) => {
    const t = createRefundFixture({ orders: [remoteOrder(), remoteOrder({ externalId: 'so_2' })] });
    const { quote } = await t.quote({ amount: '10.00' });
    if (fault) t.store.faults.push(fault);
    const first = await t.refund({ quoteId: quote.id });
    return { ...t, quoteId: quote.id, first };
  };

  test('is marked as replayed, except for the first use', async () => {
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

  test('is subject to the current policy, and so is an idempotency key', async () => {
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
