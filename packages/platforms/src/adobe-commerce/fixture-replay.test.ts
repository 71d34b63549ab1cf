import { expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { loadFixtures, fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { order as wireOrder } from './wire.js';

/**
 * Bodies as Adobe documents them (description.test.ts validates each), including fields that the adapter does
 * not read.
 */
const store = fixtureReplay(import.meta.dirname);
const read = (id: string) => store.order(orders, id);

test('a guest’s order in another currency than the store’s is read in the store’s, and a product with variants once', async () => {
  await store.start('paid-guest-order');
  const eur = (amountMinor: number) => money(amountMinor, 'EUR');
  expect(await read('4102')).toEqual({
    externalId: '4102',
    number: '2000004102',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'processing/packing',
    currency: 'EUR',
    pricesIncludeTax: null,
    totals: {
      discount: eur(729),
      shipping: eur(412),
      tax: eur(1_125),
      total: eur(7_051),
      captured: eur(7_051),
      refunded: eur(0),
      refundable: eur(7_051),
    },
    customer: { id: null, name: 'Mia', email: 'mia@example.test' },
    emails: ['mia@example.test', 'Mia@example.test'],
    lines: [
      {
        id: '9311',
        sku: 'SHIRT-M-BLUE',
        title: 'Linen shirt',
        quantity: 2,
        refundableQuantity: 2,
        unitPrice: eur(3_000),
        total: eur(5_400),
      },
      {
        id: '9313',
        sku: 'TEA-250',
        title: 'Green tea',
        quantity: 1,
        refundableQuantity: 1,
        unitPrice: eur(1_290),
        total: eur(1_161),
      },
    ],
    shippingLines: [{ id: 'shipping', title: 'DHL - Paket', total: eur(490), refundable: eur(490) }],
    shippingAddress: {
      name: 'Mia',
      line1: 'Rheingasse 7',
      line2: 'Hinterhaus, 3. Stock',
      city: 'Basel',
      region: 'Basel-Stadt',
      postalCode: '4051',
      country: 'CH',
    },
    payments: [
      {
        id: '3907',
        gateway: 'braintree',
        method: 'Credit card (Braintree)',
        captured: eur(7_051),
        refunded: eur(0),
        refundable: eur(7_051),
        refundableOnline: true,
      },
    ],
    refunds: [],
    shipments: [],
    note: null,
    createdAt: new Date('2026-11-17T09:14:02.000Z'),
    updatedAt: new Date('2026-11-17T09:14:20.000Z'),
    url: null,
  });
});

test('the invoices of an order in dinars are refunded separately, and a refund made by the shop counts once', async () => {
  await store.start('partly-refunded-two-invoices');
  const kwd = (amountMinor: number) => money(amountMinor, 'KWD');
  const order = await read('588');
  expect(order).toMatchObject({
    status: 'open',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'partial',
    rawStatus: 'processing/processing',
    customer: { id: '204', name: 'Noura Al-Sabti', email: 'n.account@example.test' },
    emails: ['n.account@example.test', 'noura@example.test'],
    lines: [
      { sku: 'DALLAH-S', quantity: 5, refundableQuantity: 4, unitPrice: kwd(2_000), total: kwd(10_000) },
      { sku: 'BOOK-PDF', quantity: 1, refundableQuantity: 1, unitPrice: kwd(4_500), total: kwd(4_500) },
    ],
    shippingLines: [{ total: kwd(1_250), refundable: kwd(1_250) }],
    note: 'Call at the gate',
  });
  expect(order.totals).toEqual({
    discount: kwd(0),
    shipping: kwd(1_250),
    tax: kwd(0),
    total: kwd(15_750),
    captured: kwd(15_750),
    refunded: kwd(2_500),
    refundable: kwd(13_250),
  });
  const payment = { gateway: 'payflowpro', method: 'Credit Card', refundableOnline: true };
  expect(order.payments).toEqual([
    { id: '571', ...payment, captured: kwd(7_250), refunded: kwd(2_000), refundable: kwd(5_250) },
    { id: '574', ...payment, captured: kwd(8_500), refunded: kwd(0), refundable: kwd(8_000) },
  ]);
  expect(order.refunds).toEqual([
    {
      externalId: '91',
      status: 'succeeded',
      amount: kwd(2_000),
      reference: 'rfd_01mzadobe0001',
      reason: 'Lid was bent',
      paymentId: '571',
      moneyMoved: true,
      createdAt: new Date('2026-11-13T10:20:30.000Z'),
    },
    {
      externalId: '92',
      status: 'succeeded',
      amount: kwd(500),
      reference: null,
      reason: 'Given in the shop',
      paymentId: 'offline',
      moneyMoved: false,
      createdAt: new Date('2026-11-14T08:31:07.000Z'),
    },
  ]);
});

test('an order without attached data, for which PHP serializes an empty list, is still readable', () => {
  const [written] = loadFixtures(import.meta.dirname).get('partly-refunded-two-invoices') ?? [];
  const bare = { ...(written?.answered as object), extension_attributes: [] };
  expect(wireOrder.parse(bare)).toMatchObject({ entity_id: '588', extension_attributes: null });
});

const refund = () =>
  refunding.refund(
    store.session(),
    buildInstruction('4102', '3907', 'EUR', 500, { reference: 'rfd_written', reason: 'Late' }),
  );

test('a refund has the values of its credit memo, in the store’s currency', async () => {
  await store.start('made-refund');
  expect(await refund()).toEqual({
    ok: true,
    value: {
      externalId: '118',
      status: 'succeeded',
      amount: money(500, 'EUR'),
      reference: 'rfd_written',
      reason: 'Late',
      paymentId: '3907',
      moneyMoved: true,
      createdAt: new Date('2026-11-18T12:00:01.000Z'),
    },
  });
  expect(store.left()).toEqual([]);
});

test('a validation error of the store is a refusal, quoted with its placeholders filled', async () => {
  await store.start('refused-refund');
  expect(await refund()).toMatchObject({
    ok: false,
    failure: {
      code: 'refund.refused',
      platform: {
        message: 'Creditmemo Document Validation Error(s): The most money available to refund is €70.51.',
      },
    },
  });
});

test('a credit memo that could not be saved leaves the refund unknown', async () => {
  await store.start('unsaved-refund');
  expect(await refund()).toMatchObject({ ok: false, failure: { code: 'platform.outcome_unknown' } });
});
