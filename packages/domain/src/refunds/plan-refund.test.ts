import { expect, test } from '@jest/globals';
import { payment, remoteOrder } from '../../testing/stores/order-builder.js';
import { seededRandom } from '../../testing/stores/seeded-random.js';
import { money } from '../money.js';
import type { RemoteOrder } from '../orders/order.js';
import type { RefundFacts } from '../ports/manifest.js';
import type { RequestedExtent } from './extent.js';
import { measureRefund, planRefund } from './plan-refund.js';

const everything: RefundFacts = {
  lines: true,
  shipping: true,
  restock: true,
  restockByLine: true,
  locations: true,
  notifyCustomer: true,
  offline: true,
  settlesLater: true,
  idempotent: false,
};
const plan = (
  order: RemoteOrder,
  extent: RequestedExtent,
  options: { paymentId?: string; allowOffline?: boolean; facts?: Partial<RefundFacts> } = {},
) => {
  const { paymentId = null, allowOffline = false, facts } = options;
  const able = { ...everything, ...facts };
  const measured = measureRefund(order, able, extent);
  if (!measured.ok) return measured.failure;
  const result = planRefund(order, able, measured.value, { paymentId, allowOffline });
  return result.ok ? result.value : result.failure;
};
const lines = (id: string, quantity: number, restock = false): RequestedExtent => ({
  kind: 'lines',
  lines: [{ id, quantity, restock, locationId: null }],
  shipping: 'none',
});
const amount = (amountMinor: number): RequestedExtent => ({ kind: 'amount', amountMinor, restock: [] });

test('the entire remainder consists of lines, shipping and nothing else', () => {
  expect(plan(remoteOrder(), { kind: 'full' })).toMatchObject({
    amount: { amountMinor: 4990 },
    breakdown: { linesMinor: 4500, shippingMinor: 490, otherMinor: 0 },
    refundableAfter: { amountMinor: 0 },
    payments: [{ id: 'card', amountMinor: 4990, moneyMoved: true }],
  });
});

test('a line and shipping add up to their exact sum', () => {
  const extent = {
    kind: 'lines',
    lines: [{ id: 'mug', quantity: 2, restock: true, locationId: null }],
    shipping: 100,
  } as const;
  expect(plan(remoteOrder(), extent)).toMatchObject({
    amount: { amountMinor: 2100 },
    extent: { kind: 'lines', lines: extent.lines, shippingMinor: 100 },
    breakdown: { linesMinor: 2000, shippingMinor: 100, otherMinor: 0 },
  });
  expect(plan(remoteOrder(), { kind: 'lines', lines: [], shipping: 'full' })).toMatchObject({
    amount: { amountMinor: 490 },
  });
});

test('a line refunded unit by unit adds up to its total, to the last cent, in any steps', () => {
  const random = seededRandom(11);
  for (let round = 0; round < 300; round++) {
    const quantity = random.int(1, 12);
    const totalMinor = random.int(quantity, 99_999);
    let left = quantity;
    let sum = 0;
    while (left > 0) {
      const step = random.int(1, left);
      const line = {
        ...remoteOrder().lines[0],
        id: 'x',
        quantity,
        refundableQuantity: left,
        total: money(totalMinor, 'EUR'),
      };
      const order = remoteOrder({
        lines: [line as RemoteOrder['lines'][number]],
        totals: { ...remoteOrder().totals, refundable: money(1_000_000, 'EUR') },
        payments: [payment('card', 1_000_000)],
      });
      const planned = plan(order, lines('x', step));
      if (!('amount' in planned)) throw new Error(planned.code);
      sum += planned.amount.amountMinor;
      left -= step;
    }
    expect(sum).toBe(totalMinor);
  }
});

test('a refund above the remainder is rejected with the remainder', () => {
  expect(plan(remoteOrder(), amount(4990))).toMatchObject({ amount: { amountMinor: 4990 } });
  expect(plan(remoteOrder(), amount(4991))).toMatchObject({
    code: 'refund.exceeds_refundable',
    details: { refundable: { amount: '49.90', currency: 'EUR' } },
  });
  expect(plan(remoteOrder(), lines('mug', 4))).toMatchObject({ code: 'refund.exceeds_refundable' });
  expect(plan(remoteOrder(), { kind: 'lines', lines: [], shipping: 491 })).toMatchObject({
    code: 'refund.exceeds_refundable',
  });
});

test('an order without remainder or without payment is not refunded', () => {
  const spent = remoteOrder({ totals: { ...remoteOrder().totals, refundable: money(0, 'EUR') } });
  expect(plan(spent, { kind: 'full' })).toMatchObject({ code: 'refund.exceeds_refundable' });
});

test('a sufficient payment is used alone; otherwise several, each within its remainder', () => {
  const order = remoteOrder({ payments: [payment('gift', 1000), payment('card', 3990)] });
  expect(plan(order, amount(2000))).toMatchObject({ payments: [{ id: 'card', amountMinor: 2000 }] });
  expect(plan(order, amount(4500))).toMatchObject({
    payments: [
      { id: 'gift', amountMinor: 1000 },
      { id: 'card', amountMinor: 3500 },
    ],
  });
  expect(plan(order, amount(1001), { paymentId: 'gift' })).toMatchObject({
    code: 'refund.exceeds_refundable',
  });
  expect(plan(order, amount(1), { paymentId: 'nonsense' })).toMatchObject({ code: 'request.invalid' });
});

test('money that the store cannot return is recorded only when allowed, and reported as not moving', () => {
  const order = remoteOrder({ payments: [payment('card', 3000), payment('transfer', 1990, 'EUR', false)] });
  expect(plan(order, amount(3000))).toMatchObject({ payments: [{ id: 'card', moneyMoved: true }] });
  expect(plan(order, amount(3001))).toMatchObject({ code: 'refund.offline_only' });
  expect(plan(order, amount(3001), { allowOffline: true })).toMatchObject({
    payments: [
      { id: 'card', amountMinor: 3000, moneyMoved: true },
      { id: 'transfer', amountMinor: 1, moneyMoved: false },
    ],
  });
  expect(plan(order, amount(3001), { allowOffline: true, facts: { offline: false } })).toMatchObject({
    code: 'refund.unsupported_option',
  });
});

test('unsupported options of a store are rejected and never ignored', () => {
  expect(plan(remoteOrder(), lines('mug', 1), { facts: { lines: false } })).toMatchObject({
    code: 'refund.unsupported_option',
  });
  expect(plan(remoteOrder(), lines('mug', 1, true), { facts: { restock: false } })).toMatchObject({
    code: 'refund.unsupported_option',
  });
  const some: RequestedExtent = {
    kind: 'lines',
    lines: [
      { id: 'mug', quantity: 1, restock: true, locationId: null },
      { id: 'poster', quantity: 1, restock: false, locationId: null },
    ],
    shipping: 'none',
  };
  expect(plan(remoteOrder(), some)).toMatchObject({ extent: { lines: some.lines } });
  expect(plan(remoteOrder(), some, { facts: { restockByLine: false } })).toMatchObject({
    code: 'refund.unsupported_option',
  });
  const there: RequestedExtent = {
    kind: 'lines',
    lines: [{ id: 'mug', quantity: 1, restock: true, locationId: 'back room' }],
    shipping: 'none',
  };
  expect(plan(remoteOrder(), there)).toMatchObject({ extent: { lines: there.lines } });
  expect(plan(remoteOrder(), there, { facts: { locations: false } })).toMatchObject({
    code: 'refund.unsupported_option',
  });
  const shipping = { kind: 'lines', lines: [], shipping: 'full' } as const;
  expect(plan(remoteOrder(), shipping, { facts: { shipping: false } })).toMatchObject({
    code: 'refund.unsupported_option',
  });
  expect(plan(remoteOrder(), lines('nonsense', 1))).toMatchObject({
    code: 'request.invalid',
    problems: [{ path: 'line_items.0.id' }],
  });
});
