import { expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { orders } from './orders.js';
import { refunding } from './refunding.js';

/**
 * Bodies as Square documents them (description.test.ts validates each), including fields that the adapter
 * does not read.
 */
const store = fixtureReplay(import.meta.dirname);
const read = (id: string) => store.order(orders, id);

test('a guest’s paid order is read completely, with discount, tax and a fee for shipping', async () => {
  await store.start('paid-guest-order');
  const usd = (amountMinor: number) => money(amountMinor, 'USD');
  expect(await read('kR2vWq8ZtLpX4nYc7BfHsD1mVaPZY')).toEqual({
    externalId: 'kR2vWq8ZtLpX4nYc7BfHsD1mVaPZY',
    number: 'WEB-20418',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'OPEN/COMPLETED',
    currency: 'USD',
    pricesIncludeTax: false,
    totals: {
      discount: usd(485),
      shipping: usd(695),
      tax: usd(360),
      total: usd(5_420),
      captured: usd(5_420),
      refunded: usd(0),
      refundable: usd(5_420),
    },
    customer: { id: null, name: 'Noor', email: 'noor.b@example.test' },
    emails: ['noor.b@example.test', 'noor@example.test'],
    lines: [
      {
        id: 'q0Jv1ZbTQm2sYwLr8CxkfB',
        sku: null,
        title: 'Stoneware mug, Moss, 300 ml',
        quantity: 2,
        refundableQuantity: 2,
        unitPrice: usd(1_800),
        total: usd(3_507),
      },
      {
        id: 'm7Dq3KxNf5uRzYp0GhVtcA',
        sku: null,
        title: 'Custom amount',
        quantity: 1,
        refundableQuantity: 1,
        unitPrice: usd(1_250),
        total: usd(1_218),
      },
    ],
    shippingLines: [{ id: 'ship-usps', title: 'USPS Priority', total: usd(695), refundable: usd(695) }],
    shippingAddress: {
      name: 'Noor',
      line1: '48 Alder Row',
      line2: 'Flat 3',
      city: 'Portland',
      region: 'OR',
      postalCode: '97209',
      country: 'US',
    },
    payments: [
      {
        id: 'vN5cHq2RkZ8wTb1XyLdJs0MfUaB',
        gateway: 'square',
        method: 'card',
        captured: usd(5_420),
        refunded: usd(0),
        refundable: usd(5_420),
        refundableOnline: true,
      },
    ],
    refunds: [],
    shipments: [
      {
        id: 'w3Fz9LtBq1eNs6Xo',
        status: 'pending',
        carrier: null,
        trackingNumber: null,
        trackingUrl: null,
        lineItems: [
          { id: 'q0Jv1ZbTQm2sYwLr8CxkfB', quantity: 2 },
          { id: 'm7Dq3KxNf5uRzYp0GhVtcA', quantity: 1 },
        ],
        createdAt: new Date('2026-11-18T17:20:41.000Z'),
      },
    ],
    note: null,
    createdAt: new Date('2026-11-18T17:20:41.233Z'),
    updatedAt: new Date('2026-11-18T17:20:44.871Z'),
    url: null,
  });
});

test('a sale in yen, paid by card and in cash, counts each refund once: ours, a pending one and one from the till', async () => {
  await store.start('partly-refunded-split-tender');
  const jpy = (amountMinor: number) => money(amountMinor, 'JPY');
  const order = await read('zXe7PmT0YbQ5nWc2RkVh8LdAsGfZY');
  expect(order).toMatchObject({
    number: 'zXe7PmT0YbQ5nWc2RkVh8LdAsGfZY',
    status: 'completed',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'fulfilled',
    rawStatus: 'COMPLETED/COMPLETED',
    pricesIncludeTax: true,
    customer: { id: '5WPQ2H7N8ZRA3KXD6TCV4YBMEG', name: '遥', email: null },
    emails: [],
    shippingLines: [],
    shippingAddress: null,
  });
  expect(order.totals).toEqual({
    discount: jpy(0),
    shipping: jpy(0),
    tax: jpy(999),
    total: jpy(11_000),
    captured: jpy(11_000),
    refunded: jpy(2_700),
    refundable: jpy(8_300),
  });
  expect(order.lines).toMatchObject([
    { title: '急須', quantity: 1, unitPrice: jpy(8_000), total: jpy(8_000) },
    { title: '煎茶', quantity: 1, unitPrice: jpy(3_000), total: jpy(3_000) },
  ]);
  expect(order.payments).toMatchObject([
    {
      method: 'card',
      captured: jpy(7_000),
      refunded: jpy(2_200),
      refundable: jpy(4_800),
      refundableOnline: true,
    },
    {
      method: 'cash',
      captured: jpy(4_000),
      refunded: jpy(500),
      refundable: jpy(3_500),
      refundableOnline: false,
    },
  ]);
  const [card, cash] = order.payments;
  expect(order.refunds).toEqual([
    {
      externalId: 'Hc4YzQ1mXk9tLw6BnRsVe0PdAfTZY_a1Kq',
      status: 'succeeded',
      amount: jpy(1_500),
      reference: 'rfd_01mzsquare0001',
      reason: '欠けていた',
      paymentId: card?.id,
      moneyMoved: true,
      createdAt: new Date('2026-11-19T06:00:00.120Z'),
    },
    {
      externalId: 'Hc4YzQ1mXk9tLw6BnRsVe0PdAfTZY_b7Lw',
      status: 'pending',
      amount: jpy(700),
      reference: null,
      reason: 'お詫び',
      paymentId: card?.id,
      moneyMoved: true,
      createdAt: new Date('2026-11-20T01:00:00.000Z'),
    },
    {
      externalId: 'r8QbNw3ZyTf5XcKm1LhVs7JdPaGZY_c3Mv',
      status: 'succeeded',
      amount: jpy(500),
      reference: null,
      reason: null,
      paymentId: cash?.id,
      moneyMoved: false,
      createdAt: new Date('2026-11-19T05:10:00.340Z'),
    },
  ]);
});

const requested = () =>
  buildInstruction('kR2vWq8ZtLpX4nYc7BfHsD1mVaPZY', 'vN5cHq2RkZ8wTb1XyLdJs0MfUaB', 'USD', 1_218, {
    reference: 'rfd_written',
    reason: 'Broken',
  });

test('a card’s refund is pending at first, and is reported as Square recorded it', async () => {
  await store.start('pending-refund');
  expect(await refunding.refund(store.session(), requested())).toEqual({
    ok: true,
    value: {
      externalId: 'vN5cHq2RkZ8wTb1XyLdJs0MfUaB_k2Zq',
      status: 'pending',
      amount: money(1_218, 'USD'),
      reference: 'rfd_written',
      reason: 'Broken',
      paymentId: 'vN5cHq2RkZ8wTb1XyLdJs0MfUaB',
      moneyMoved: true,
      createdAt: new Date('2026-11-20T08:30:00.455Z'),
    },
  });
  expect(store.asked().at(-1)?.body).toMatchObject({
    payment_version_token: 't4Wn0pCz7QeR1yBx3LmKs9VdGf2HaUj5',
    amount_money: { amount: 1_218, currency: 'USD' },
  });
});

test('Square’s refusal is quoted', async () => {
  await store.start('refused-refund');
  expect(await refunding.refund(store.session(), requested())).toMatchObject({
    ok: false,
    failure: {
      code: 'refund.refused',
      platform: {
        code: 'REFUND_AMOUNT_INVALID',
        message: 'The requested refund amount exceeds the amount available to refund.',
      },
    },
  });
});
