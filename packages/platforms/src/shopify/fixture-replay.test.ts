import { expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import type { RemoteOrder } from '@switchboard/domain/orders';
import { validateResponse } from '@switchboard/simulators';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { orders } from './orders.js';
import { refunding } from './refunding.js';

/** The recorded requests and responses: the published schema validates both. */
const store = fixtureReplay(import.meta.dirname);

interface RequestBody {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

function faults(): readonly string[] {
  expect(store.left()).toEqual([]);
  return store.asked().flatMap(({ body, answered }) => {
    const { query, variables } = body as RequestBody;
    return validateResponse(query, variables, (answered as { data: unknown }).data);
  });
}

async function read(id: string): Promise<RemoteOrder> {
  const order = await store.order(orders, id);
  expect(faults()).toEqual([]);
  return order;
}

test('a guest’s paid order in dinars is read completely, with its discount and tax that is not in the prices', async () => {
  await store.start('paid-guest-order');
  const kwd = (amountMinor: number) => money(amountMinor, 'KWD');
  const { url, ...order } = await read('5521');
  expect(url).toMatch(/\/admin\/orders\/5521$/);
  expect(order).toEqual({
    externalId: '5521',
    number: '#1042',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'PAID/UNFULFILLED',
    currency: 'KWD',
    pricesIncludeTax: false,
    totals: {
      discount: kwd(900),
      shipping: kwd(1_250),
      tax: kwd(468),
      total: kwd(9_818),
      captured: kwd(9_818),
      refunded: kwd(0),
      refundable: kwd(9_818),
    },
    customer: { id: null, name: 'Noor Al-Sabti', email: 'noor@example.test' },
    emails: ['noor@example.test'],
    lines: [
      {
        id: '71',
        sku: null,
        title: 'Coffee pot',
        quantity: 2,
        refundableQuantity: 2,
        unitPrice: kwd(4_500),
        total: kwd(8_505),
      },
    ],
    shippingLines: [{ id: '4401', title: 'Aramex', total: kwd(1_313), refundable: kwd(1_313) }],
    shippingAddress: {
      name: 'Noor',
      line1: 'Gulf Street 12',
      line2: null,
      city: 'Kuwait City',
      region: null,
      postalCode: null,
      country: 'KW',
    },
    payments: [
      {
        id: '6101',
        gateway: 'shopify_payments',
        method: null,
        captured: kwd(9_818),
        refunded: kwd(0),
        refundable: kwd(9_818),
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

test('for a sale in yen by card, gift card and cash every payment has its own refunds: succeeded, pending and failed', async () => {
  await store.start('partly-refunded-order');
  const jpy = (amountMinor: number) => money(amountMinor, 'JPY');
  const order = await read('5588');
  expect(order).toMatchObject({
    number: '#TKY-588-B',
    status: 'completed',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'fulfilled',
    rawStatus: 'PARTIALLY_REFUNDED/FULFILLED/INSPECTION_COMPLETE',
    pricesIncludeTax: true,
    customer: { id: '204', name: '佐藤', email: null },
    emails: [],
    shippingLines: [],
    shippingAddress: null,
    note: '店頭受取',
    lines: [
      { title: '急須', quantity: 1, refundableQuantity: 1, total: jpy(8_000) },
      { title: '煎茶', quantity: 3, refundableQuantity: 2, unitPrice: jpy(1_000), total: jpy(3_000) },
    ],
  });
  expect(order.totals).toEqual({
    discount: jpy(0),
    shipping: jpy(0),
    tax: jpy(1_000),
    total: jpy(11_000),
    captured: jpy(11_000),
    refunded: jpy(2_700),
    refundable: jpy(8_300),
  });
  const of = (id: string, gateway: string, minor: readonly [number, number, number], online: boolean) => ({
    id,
    gateway,
    method: null,
    captured: jpy(minor[0]),
    refunded: jpy(minor[1]),
    refundable: jpy(minor[2]),
    refundableOnline: online,
  });
  expect(order.payments).toEqual([
    of('2', 'shopify_payments', [7_000, 2_200, 4_800], true),
    of('3', 'gift_card', [2_000, 0, 2_000], true),
    // A thousand of it was returned as change.
    of('4', 'cash', [2_000, 500, 1_500], false),
  ]);
  expect(order.refunds).toEqual([
    {
      externalId: '801',
      status: 'succeeded',
      amount: jpy(1_500),
      reference: 'rfd_01mzshop00001',
      reason: '欠けていた',
      paymentId: '2',
      moneyMoved: true,
      createdAt: new Date('2026-11-13T10:20:30.000Z'),
    },
    {
      externalId: '802',
      status: 'pending',
      amount: jpy(700),
      reference: null,
      reason: null,
      paymentId: '2',
      moneyMoved: false,
      createdAt: new Date('2026-11-14T08:31:07.000Z'),
    },
    {
      externalId: '803',
      status: 'succeeded',
      amount: jpy(500),
      reference: null,
      reason: '返品',
      paymentId: '4',
      moneyMoved: false,
      createdAt: new Date('2026-11-14T09:00:00.000Z'),
    },
    {
      externalId: '804',
      status: 'failed',
      amount: jpy(300),
      reference: null,
      reason: null,
      paymentId: '3',
      moneyMoved: false,
      createdAt: new Date('2026-11-14T09:05:00.000Z'),
    },
  ]);
});

const refund = () =>
  refunding.refund(
    store.session(),
    buildInstruction('5521', '6101', 'KWD', 1_000, { reference: 'rfd_written', reason: 'Late' }),
  );

test('a refund whose transaction is pending is pending', async () => {
  await store.start('pending-refund');
  expect(await refund()).toEqual({
    ok: true,
    value: {
      externalId: '811',
      status: 'pending',
      amount: money(1_000, 'KWD'),
      reference: 'rfd_written',
      reason: 'Late',
      paymentId: '6101',
      moneyMoved: false,
      createdAt: new Date('2026-11-20T08:30:00.000Z'),
    },
  });
  expect(faults()).toEqual([]);
});

test('Shopify’s refusal is quoted', async () => {
  await store.start('refused-refund');
  expect(await refund()).toMatchObject({
    ok: false,
    failure: {
      code: 'refund.refused',
      platform: { message: 'Refund amount cannot be greater than the amount that is left.' },
    },
  });
  expect(faults()).toEqual([]);
});
