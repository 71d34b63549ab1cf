import { expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { orders } from './orders.js';
import { refunding } from './refunding.js';

/**
 * Complete bodies as WooCommerce documents them: a store returns only the requested fields
 * (description.test.ts).
 */
const store = fixtureReplay(import.meta.dirname);
const read = (id: string) => store.order(orders, id);

test('a guest’s paid order in a status of the shop’s own is read completely, with a coupon, a fee and two tax rates', async () => {
  await store.start('paid-guest-order');
  const eur = (amountMinor: number) => money(amountMinor, 'EUR');
  const { url, ...order } = await read('1042');
  expect(url).toMatch(/\/wp-admin\/post\.php\?post=1042&action=edit$/);
  expect(order).toEqual({
    externalId: '1042',
    number: 'WEB-1042',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'awaiting-pickup',
    currency: 'EUR',
    pricesIncludeTax: false,
    totals: {
      discount: eur(485),
      shipping: eur(579),
      tax: eur(966),
      total: eur(6_210),
      captured: eur(6_210),
      refunded: eur(0),
      refundable: eur(6_210),
    },
    customer: { id: null, name: 'Noor', email: 'noor@example.test' },
    emails: ['noor@example.test'],
    lines: [
      {
        id: '71',
        sku: 'MUG-MOSS',
        title: 'Stoneware mug - Moss',
        quantity: 2,
        refundableQuantity: 2,
        unitPrice: eur(1_960),
        total: eur(3_920),
      },
      {
        id: '72',
        sku: null,
        title: 'Green tea',
        quantity: 1,
        refundableQuantity: 1,
        unitPrice: eur(1_226),
        total: eur(1_226),
      },
    ],
    shippingLines: [{ id: '73', title: 'PostNL', total: eur(701), refundable: eur(701) }],
    // Collected at the shop: all its fields are empty.
    shippingAddress: null,
    payments: [
      {
        id: 'order_1042',
        gateway: 'mollie_wc_gateway_ideal',
        method: 'iDEAL',
        captured: eur(6_210),
        refunded: eur(0),
        refundable: eur(6_210),
        refundableOnline: true,
      },
    ],
    refunds: [],
    shipments: null,
    note: null,
    createdAt: new Date('2026-11-18T17:20:41.000Z'),
    updatedAt: new Date('2026-11-18T17:24:02.000Z'),
  });
});

test('an order in yen counts our refund of a unit and the shop’s own of the shipping, which moved no money', async () => {
  await store.start('partly-refunded-order');
  const jpy = (amountMinor: number) => money(amountMinor, 'JPY');
  const order = await read('588');
  expect(order).toMatchObject({
    status: 'open',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'processing',
    pricesIncludeTax: true,
    customer: { id: '17', name: '株式会社茶屋', email: 'chaya@example.test' },
    shippingAddress: {
      name: '遥 佐藤',
      line1: '神楽坂 3-1',
      line2: null,
      city: '新宿区',
      region: 'JP13',
      postalCode: '162-0825',
      country: 'JP',
    },
    note: '午前中',
  });
  expect(order.totals).toEqual({
    discount: jpy(0),
    shipping: jpy(545),
    tax: jpy(382),
    total: jpy(4_200),
    captured: jpy(4_200),
    refunded: jpy(1_800),
    refundable: jpy(2_400),
  });
  expect(order.lines).toEqual([
    {
      id: '41',
      sku: null,
      title: '湯呑',
      quantity: 3,
      refundableQuantity: 2,
      unitPrice: jpy(1_200),
      total: jpy(3_600),
    },
  ]);
  expect(order.shippingLines).toEqual([{ id: '42', title: 'Shipping', total: jpy(600), refundable: jpy(0) }]);
  expect(order.payments).toMatchObject([
    { captured: jpy(4_200), refunded: jpy(1_800), refundable: jpy(2_400), refundableOnline: true },
  ]);
  expect(order.refunds.toSorted((one, other) => Number(one.externalId) - Number(other.externalId))).toEqual([
    {
      externalId: '590',
      status: 'succeeded',
      amount: jpy(1_200),
      reference: 'rfd_01mzwoo00001',
      reason: '割れ',
      paymentId: 'order_588',
      moneyMoved: true,
      createdAt: new Date('2026-11-13T10:20:30.000Z'),
    },
    {
      externalId: '592',
      status: 'succeeded',
      amount: jpy(600),
      reference: null,
      reason: null,
      paymentId: 'order_588',
      moneyMoved: false,
      createdAt: new Date('2026-11-14T08:31:07.000Z'),
    },
  ]);
});

const refund = () =>
  refunding.refund(
    store.session(),
    buildInstruction('1042', 'order_1042', 'EUR', 500, { reference: 'rfd_written', reason: 'Late' }),
  );

test('a refund that the gateway executed has succeeded', async () => {
  await store.start('made-refund');
  expect(await refund()).toEqual({
    ok: true,
    value: {
      externalId: '1050',
      status: 'succeeded',
      amount: money(500, 'EUR'),
      reference: 'rfd_written',
      reason: 'Late',
      paymentId: 'order_1042',
      moneyMoved: true,
      createdAt: new Date('2026-11-20T08:30:00.000Z'),
    },
  });
});

test('too large an amount is a refusal, though its status is 500', async () => {
  await store.start('refused-refund');
  expect(await refund()).toMatchObject({
    ok: false,
    failure: { code: 'refund.refused', platform: { message: 'Invalid refund amount.' } },
  });
});

test('a gateway’s refusal requires a manual check, though the store shows no refund', async () => {
  await store.start('declined-refund');
  expect(await refund()).toMatchObject({
    ok: false,
    failure: {
      code: 'refund.unclear',
      platform: { message: 'Payment tr_q81Zk can not be refunded: the balance is too low.' },
    },
  });
  expect(store.left()).toEqual([]);
});
