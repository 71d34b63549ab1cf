import { expect, test } from '@jest/globals';
import { readOrder } from './read-order.js';
import { order as orderShape, refund as refundShape } from './wire.js';

const at = '2026-11-20T08:30:00';
const line = {
  id: 1,
  name: 'Mug',
  sku: null,
  quantity: 3,
  total_tax: '0',
  taxes: [],
};

/** A paid order in yen of a shop that keeps fractions of a yen, with its refunds. */
function read(total: string, ...refunds: readonly string[]) {
  const wire = orderShape.parse({
    id: 7,
    number: '7',
    status: 'processing',
    currency: 'JPY',
    customer_id: 0,
    customer_note: null,
    date_created_gmt: at,
    date_modified_gmt: at,
    date_paid_gmt: at,
    discount_total: '0',
    shipping_total: '0',
    total_tax: '0',
    total,
    billing: {},
    payment_method: 'card',
    line_items: [{ ...line, total }],
    shipping_lines: [],
    refunds: refunds.map((_, id) => ({ id })),
  });
  const created = refunds.map((amount, id) =>
    refundShape.parse({ id, date_created_gmt: at, amount, refunded_payment: true }),
  );
  const { totals, paymentStatus, payments } = readOrder(
    wire,
    created,
    new Set(['card']),
    'https://shop.test',
  );
  const { captured, refunded, refundable } = totals;
  expect(payments).toMatchObject([{ captured, refunded, refundable }]);
  return [captured, refunded, refundable]
    .map(({ amountMinor }) => amountMinor)
    .concat(paymentStatus as never);
}

test('an order in yen with fractions leaves nothing after a full refund, and never more than the store’s remainder (finding 33)', () => {
  expect(read('1000.50000000')).toEqual([1000, 0, 1000, 'paid']);
  expect(read('1000.50000000', '1000')).toEqual([1000, 1000, 0, 'refunded']);
  expect(read('1000.60000000', '500.3', '500.3')).toEqual([1000, 1000, 0, 'refunded']);
  expect(read('1000.60000000', '1000.6')).toEqual([1000, 1000, 0, 'refunded']);
  expect(read('1000.60000000', '0.5')).toEqual([1000, 0, 1000, 'partially_refunded']);
  expect(read('1000.40000000', '0.5')).toEqual([1000, 1, 999, 'partially_refunded']);
});
