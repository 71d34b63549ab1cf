import { expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { orders } from './orders.js';
import { refunding } from './refunding.js';

/**
 * Bodies in the format that BigCommerce documents (NOTES.md), including fields that the adapter does not
 * read.
 */
const store = fixtureReplay(import.meta.dirname);
const read = (id: string) => store.order(orders, id);

test('a guest’s paid order is read completely, in the currency of the payment, with a card and a gift certificate', async () => {
  await store.start('paid-guest-order');
  const usd = (amountMinor: number) => money(amountMinor, 'USD');
  const { url, ...order } = await read('1042');
  expect(url).toMatch(/\/manage\/orders\/1042$/);
  expect(order).toEqual({
    externalId: '1042',
    number: '1042',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'Awaiting Fulfillment/captured',
    currency: 'USD',
    pricesIncludeTax: false,
    totals: {
      discount: usd(485),
      shipping: usd(795),
      tax: usd(425),
      total: usd(5_585),
      captured: usd(5_585),
      refunded: usd(0),
      refundable: usd(5_585),
    },
    customer: { id: null, name: 'Noor', email: 'noor@example.test' },
    emails: ['noor@example.test'],
    lines: [
      {
        id: '71',
        sku: 'MUG-MOSS',
        title: 'Stoneware mug',
        quantity: 2,
        refundableQuantity: 2,
        unitPrice: usd(1_949),
        total: usd(3_507),
      },
      {
        id: '72',
        sku: null,
        // oxlint-disable-next-line switchboard/words -- as in the recorded response
        title: 'Tea course, film',
        quantity: 1,
        refundableQuantity: 1,
        unitPrice: usd(1_353),
        total: usd(1_218),
      },
    ],
    shippingLines: [{ id: '64', title: 'USPS Priority', total: usd(752), refundable: usd(752) }],
    shippingAddress: {
      name: 'Noor',
      line1: '48 Alder Row',
      line2: 'Flat 3',
      city: 'Portland',
      region: 'Oregon',
      postalCode: '97209',
      country: 'US',
    },
    payments: [
      {
        id: 'provider',
        gateway: 'Credit Card',
        method: null,
        captured: usd(4_585),
        refunded: usd(0),
        refundable: usd(4_585),
        refundableOnline: true,
      },
      {
        id: 'giftcertificate',
        gateway: 'giftcertificate',
        method: null,
        captured: usd(1_000),
        refunded: usd(0),
        refundable: usd(1_000),
        refundableOnline: true,
      },
    ],
    refunds: [],
    shipments: [],
    note: null,
    createdAt: new Date('2026-11-18T17:20:41.000Z'),
    updatedAt: new Date('2026-11-18T17:24:02.000Z'),
  });
});

test('for an order in yen, our refund, the merchant’s in store credit and a declined one are distinguished', async () => {
  await store.start('partly-refunded-order');
  const jpy = (amountMinor: number) => money(amountMinor, 'JPY');
  const order = await read('588');
  expect(order).toMatchObject({
    status: 'open',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'partial',
    rawStatus: 'Partially Refunded/partially refunded',
    pricesIncludeTax: true,
    customer: { id: '17', name: '遥', email: 'haruka@example.test' },
    shippingAddress: { name: '遥', line1: '神楽坂 3-1', line2: null, country: 'JP' },
    note: '午前中',
  });
  expect(order.totals).toEqual({
    discount: jpy(0),
    shipping: jpy(545),
    tax: jpy(382),
    total: jpy(4_200),
    captured: jpy(4_200),
    refunded: jpy(1_500),
    refundable: jpy(2_700),
  });
  expect(order.lines).toMatchObject([
    { sku: null, quantity: 3, refundableQuantity: 2, unitPrice: jpy(1_200), total: jpy(3_600) },
  ]);
  expect(order.shippingLines).toMatchObject([{ total: jpy(600), refundable: jpy(300) }]);
  expect(order.payments).toMatchObject([
    { id: 'provider', captured: jpy(3_700), refunded: jpy(1_200), refundable: jpy(2_500) },
    { id: 'storecredit', captured: jpy(500), refunded: jpy(300), refundable: jpy(200) },
  ]);
  expect(order.payments.every(({ refundableOnline }) => refundableOnline)).toBe(true);
  expect(order.refunds).toEqual([
    {
      externalId: '12',
      status: 'succeeded',
      amount: jpy(1_200),
      reference: 'rfd_01mzbigc00001',
      reason: '割れ',
      paymentId: 'provider',
      moneyMoved: true,
      createdAt: new Date('2026-11-13T10:20:30.000Z'),
    },
    {
      externalId: '13',
      status: 'succeeded',
      amount: jpy(300),
      reference: null,
      reason: null,
      paymentId: 'storecredit',
      moneyMoved: true,
      createdAt: new Date('2026-11-14T08:31:07.000Z'),
    },
    {
      externalId: '14',
      status: 'failed',
      amount: jpy(400),
      reference: null,
      reason: '遅い',
      paymentId: 'provider',
      moneyMoved: true,
      createdAt: new Date('2026-11-14T08:40:00.000Z'),
    },
  ]);
});

const refund = () =>
  refunding.refund(
    store.session(),
    buildInstruction('1042', 'provider', 'USD', 500, { reference: 'rfd_written', reason: 'Late' }),
  );

test('a refund is pending until it names the transaction in which the money left', async () => {
  await store.start('pending-refund');
  expect(await refund()).toEqual({
    ok: true,
    value: {
      externalId: '31',
      status: 'pending',
      amount: money(500, 'USD'),
      reference: 'rfd_written',
      reason: 'Late',
      paymentId: 'provider',
      moneyMoved: true,
      createdAt: new Date('2026-11-20T08:30:00.000Z'),
    },
  });
});

test('finding 27: a refund has the fields that the description defines, the reason with each item', async () => {
  await store.start('pending-refund');
  await refund();
  // `RefundRequest_Post` of BigCommerce's description: items, payments, merchant_calculated_override.
  expect(store.asked().at(-1)?.body).toEqual({
    items: [{ item_type: 'ORDER', item_id: 1042, amount: 5, reason: '[rfd_written] Late' }],
    payments: [{ provider_id: 'stripev3', amount: 5, offline: false }],
  });
});

test('the store’s refusal is quoted', async () => {
  await store.start('refused-refund');
  expect(await refund()).toMatchObject({
    ok: false,
    failure: {
      code: 'refund.refused',
      platform: {
        code: '422',
        message: 'The payments do not match the quote. payments: the total is not 5.00',
      },
    },
  });
});

test('if the provider would only record the refund nothing is sent, and its reason is quoted', async () => {
  await store.start('offline-only-quote');
  expect(await refund()).toMatchObject({
    ok: false,
    failure: {
      code: 'refund.refused',
      platform: { message: 'The payment is too old to be refunded online.' },
    },
  });
  expect(store.asked()).toHaveLength(1);
});
