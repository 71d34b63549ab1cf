import { describe, expect, test } from '@jest/globals';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { emptyAccount, createRefundFixture } from '../../testing/stores/refund-fixture.js';
import { getOrder } from '../orders/get-order.js';
import { listOrders } from '../orders/list-orders.js';
import { quoteRefund } from './quote-refund.js';
import { resolveRefund } from './resolve-refund.js';

describe('an order with refunds in the ledger that its store does not list (finding 30)', () => {
  const resolved = async () => {
    const t = createRefundFixture();
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

  test('is refundable by less after a person recorded a refund as succeeded, in the order, the list and the quote', async () => {
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

  test('names our own refund where the store lists it, and no other (finding 53)', async () => {
    const t = createRefundFixture();
    const own = await t.made({ amount: '5.00' });
    t.store.refundElsewhere('so_1', 500);
    const found = await getOrder(t.s.ports, t.call, { orderId: t.orderId });
    const listed = found.ok ? found.value.order.refunds : [];
    expect(listed.map((refund) => refund.own?.id ?? null)).toEqual([own.id, null]);
  });

  test('also counts what was refunded in the store, and never twice what the store lists later', async () => {
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

  test('reserves a refund with unknown outcome, and rejects a quote as it rejects the refund', async () => {
    for (const [fault, code, status] of [
      ['unclear', 'refund.in_doubt', []],
      ['settles-later', 'refund.in_progress', [{ status: 'pending', moneyMoved: null }]],
    ] as const) {
      const t = createRefundFixture();
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

  test('invalidates a quote that was created before a person recorded the refund', async () => {
    const t = createRefundFixture();
    const { quote } = await t.quote();
    t.store.faults.push('unclear');
    const { id } = await t.made({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({ code: 'refund.in_doubt' });
    await resolveRefund(t.s.ports, t.call, { refundId: id, outcome: 'succeeded' });
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({ code: 'quote.changed' });
  });
});
