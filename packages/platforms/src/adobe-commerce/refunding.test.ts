import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Result, refuse } from '@switchboard/domain';
import type { OrderPayment, RemoteOrder } from '@switchboard/domain/orders';
import type { RefundInstruction, PlatformRequest, Session } from '@switchboard/domain/ports';
import { adobeStore, ALL_RESOURCES, type AdobeStore, type AdobeStoreOptions } from '@switchboard/simulators';
import fc from 'fast-check';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { orders } from './orders.js';
import { refunding } from './refunding.js';

/** A session to a store without a socket, for tests with many requests: it records them. */
function directSession(
  store: AdobeStore,
  resources: readonly string[] = ALL_RESOURCES,
): Session & { sent(): readonly PlatformRequest[] } {
  const sent: PlatformRequest[] = [];
  return {
    account: { id: 'shop.example', username: null, name: null, avatarUrl: null, url: null },
    connectMethod: 'oauth',
    baseUrl: 'https://shop.example',
    apiVersion: null,
    grantedPermissions: resources,
    signal: new AbortController().signal,
    sent: () => sent,
    async request(request) {
      const { method, path, query = {}, json: body, acceptsErrorStatuses = false } = request;
      sent.push(request);
      const requested = new URLSearchParams(
        Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const { status, json } = store.respondAs(
        { method, path, query: requested, headers: {}, body },
        resources,
      );
      if (status === 401 && !acceptsErrorStatuses) return refuse('connection.needs_reauth', 'Connect again.');
      return { ok: true, value: { status, ok: status < 300, headers: {}, body: new Uint8Array(), json } };
    },
  };
}

type SeedName = Parameters<AdobeStore['orderNamed']>[0];

let store: AdobeStore;
let session: ReturnType<typeof directSession>;

function begin(options: AdobeStoreOptions = {}) {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  store = adobeStore({ now: () => new Date(++seconds * 1_000), ...options });
  session = directSession(store);
}
beforeEach(() => begin());

const value = <Value>(result: Result<Value>): Value => {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
};
const code = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code);
const orderOf = async (id: number): Promise<RemoteOrder> => {
  const found = value(await orders.get(session, String(id)));
  if (!found) throw new Error('there is no such order');
  return found;
};
const fresh = (name: SeedName) => orderOf(store.order(name).entity_id);
const storeOrder = (order: RemoteOrder, name: SeedName) => {
  const found = store.find(order.externalId);
  if (!found) throw new Error(`there is no order of the kind ${name}`);
  return found;
};
const lastMemo = (order: RemoteOrder, name: SeedName) => {
  const memo = store.refunds.of(storeOrder(order, name)).at(-1);
  if (!memo) throw new Error('there is no credit memo');
  return memo;
};
const line = (id: string, quantity: number, restock = false) => ({ id, quantity, restock, locationId: null });
const firstPayment = (order: RemoteOrder): OrderPayment => {
  const [payment] = order.payments;
  if (!payment) throw new Error('nothing was paid');
  return payment;
};
const of = (order: RemoteOrder, amountMinor: number, more: Partial<RefundInstruction> = {}) => {
  const { id, refundableOnline } = firstPayment(order);
  return buildInstruction(order.externalId, id, order.currency, amountMinor, {
    payments: [{ id, amountMinor, moneyMoved: refundableOnline }],
    ...more,
  });
};
const posted = () => session.sent().filter(({ method }) => method === 'POST');

describe('an amount alone', () => {
  test('refunds no item and no shipping, and exactly that amount', async () => {
    const order = await fresh('taxed');
    const refund = value(await refunding.refund(session, of(order, 1234)));
    expect(refund).toMatchObject({ status: 'succeeded', amount: { amountMinor: 1234 }, moneyMoved: true });
    const after = await orderOf(Number(order.externalId));
    expect(after.lines.map((one) => one.refundableQuantity)).toEqual([3, 7]);
    expect(after.shippingLines[0]?.refundable).toEqual(order.shippingLines[0]?.refundable);
    expect(after.totals.refundable.amountMinor).toBe(order.totals.refundable.amountMinor - 1234);
    expect(store.gateway.sent().at(-1)).toEqual({
      orderId: Number(order.externalId),
      amount: 12.34,
      currency: 'EUR',
    });
  });

  test('restocks the named lines and has the requested amount, whatever they are worth', async () => {
    const order = await fresh('taxed');
    const [cups] = order.lines;
    const before = store.returnedToStock('CUP');
    const restocked = of(order, 150, { lines: [line(cups?.id ?? '', 2, true)] });
    expect(value(await refunding.refund(session, restocked)).amount.amountMinor).toBe(150);
    expect(store.returnedToStock('CUP')).toBe(before + 2);
    expect(lastMemo(order, 'taxed')).toMatchObject({ base_grand_total: 1.5, base_adjustment_positive: 0 });
  });

  test('is rejected before any request if it is finer than Magento supports', async () => {
    const order = await fresh('dinars');
    const before = posted().length;
    expect(order.totals.total).toEqual({ amountMinor: 43_250, currency: 'KWD' });
    expect(code(await refunding.refund(session, of(order, 1_005)))).toBe('refund.refused');
    expect(posted()).toHaveLength(before);
    expect(value(await refunding.refund(session, of(order, 1_000))).amount.amountMinor).toBe(1_000);
  });
});

describe('lines', () => {
  const kinds = [
    'card',
    'taxed',
    'discounted',
    'configurable',
    'bundle',
    'dollars',
    'yen',
    'virtual',
    'rich',
  ] as const;

  test('have the calculated store total, in any order and for any number at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        fc.array(fc.array(fc.nat(3), { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (name, rounds, withShipping) => {
          let order = await fresh(name);
          for (const [round, wanted] of rounds.entries()) {
            const lines = order.lines
              .map(({ id, refundableQuantity }, at) =>
                line(id, Math.min(wanted[at] ?? 0, refundableQuantity)),
              )
              .filter(({ quantity }) => quantity > 0);
            if (lines.length === 0) continue;
            const shippingMinor =
              withShipping && round === 0 ? (order.shippingLines[0]?.refundable.amountMinor ?? 0) : 0;
            const worth = value(await refunding.calculate!(session, order, { lines, shippingMinor }));
            const amountMinor = worth.linesMinor + worth.shippingMinor;
            const requested = of(order, amountMinor, { kind: 'lines', lines, shippingMinor });
            expect(value(await refunding.refund(session, requested)).amount.amountMinor).toBe(amountMinor);
            const memo = lastMemo(order, name);
            expect([memo.base_adjustment_positive, memo.base_adjustment_negative]).toEqual([0, 0]);
            expect(memo.base_shipping_amount > 0).toBe(shippingMinor > 0);
            order = await orderOf(Number(order.externalId));
          }
        },
      ),
      { numRuns: 40, seed: 20_261_122 },
    );
  });

  test('refunded unit by unit, with shipping, sum up to everything that was paid', async () => {
    for (const name of ['discounted', 'taxed', 'bundle'] as const) {
      let order = await fresh(name);
      for (const { id, quantity } of order.lines) {
        for (let unit = 0; unit < quantity; unit++) {
          const lines = [line(id, 1)];
          const { linesMinor } = value(
            await refunding.calculate!(session, order, { lines, shippingMinor: 0 }),
          );
          value(await refunding.refund(session, of(order, linesMinor, { kind: 'lines', lines })));
          order = await orderOf(Number(order.externalId));
        }
      }
      const remaining = order.totals.refundable.amountMinor;
      // A rounding remainder of a cent may be left, as well as the shipping.
      expect(Math.abs(remaining - (order.shippingLines[0]?.total.amountMinor ?? 0))).toBeLessThanOrEqual(2);
      value(await refunding.refund(session, of(order, remaining)));
      expect((await orderOf(Number(order.externalId))).paymentStatus).toBe('refunded');
    }
  });

  test('are the last units, followed by shipping: what Magento adds with the last unit is counted once', async () => {
    const order = await fresh('taxedByTotal');
    const lines = order.lines.map(({ id, quantity }) => line(id, quantity));
    const { linesMinor } = value(await refunding.calculate!(session, order, { lines, shippingMinor: 0 }));
    expect(linesMinor).toBe(3_040);
    value(await refunding.refund(session, of(order, linesMinor, { kind: 'lines', lines })));
    value(await refunding.refund(session, of(order, 500, { kind: 'lines', shippingMinor: 500 })));
    expect((await orderOf(Number(order.externalId))).paymentStatus).toBe('refunded');
  });

  test('restock exactly those marked for it, and the parts of a configurable product', async () => {
    const order = await fresh('configurable');
    const [shirt, socks] = order.lines;
    const lines = [line(shirt?.id ?? '', 1, true), line(socks?.id ?? '', 1)];
    const { linesMinor } = value(await refunding.calculate!(session, order, { lines, shippingMinor: 0 }));
    expect(linesMinor).toBe(3100);
    const before = store.returnedToStock('SHIRT-M-RED');
    value(await refunding.refund(session, of(order, linesMinor, { kind: 'lines', lines })));
    expect(store.returnedToStock('SHIRT-M-RED')).toBe(before + 1);
    expect(store.returnedToStock('SOCKS')).toBe(0);
  });
});

describe.each([false, true])('if orders show shipping with tax: %s,', (shippingShownInclTax) => {
  beforeEach(() => begin({ shippingShownInclTax }));

  test('all of the shipping is refunded as shipping', async () => {
    const order = await fresh('taxed');
    const shippingMinor = order.shippingLines[0]?.refundable.amountMinor ?? 0;
    expect(shippingMinor).toBe(605);
    value(await refunding.refund(session, of(order, 605, { kind: 'lines', shippingMinor })));
    expect(lastMemo(order, 'taxed')).toMatchObject({
      base_grand_total: 6.05,
      base_shipping_amount: 5,
      base_adjustment: 0,
    });
    expect((await orderOf(Number(order.externalId))).shippingLines[0]?.refundable.amountMinor).toBe(0);
  });

  test('a part of taxed shipping has the requested amount, whichever way Magento interprets it', async () => {
    const order = await fresh('taxed');
    const refund = await refunding.refund(session, of(order, 200, { kind: 'lines', shippingMinor: 200 }));
    expect(value(refund).amount.amountMinor).toBe(200);
  });

  test('everything that was paid is refunded to the cent', async () => {
    for (const name of [
      'taxed',
      'taxedByTotal',
      'configurableByTotal',
      'discounted',
      'freeShipping',
      'configurable',
      'bundle',
      'byWeight',
    ] as const) {
      const order = await fresh(name);
      const remaining = order.totals.refundable.amountMinor;
      const lines = order.lines
        .filter(({ refundableQuantity }) => refundableQuantity > 0)
        .map(({ id, refundableQuantity }) => line(id, refundableQuantity));
      const shippingMinor = order.shippingLines[0]?.refundable.amountMinor ?? 0;
      value(await refunding.refund(session, of(order, remaining, { kind: 'full', lines, shippingMinor })));
      const after = await orderOf(Number(order.externalId));
      expect([after.totals.refundable.amountMinor, after.paymentStatus]).toEqual([0, 'refunded']);
    }
  });
});

describe('an order with two invoices', () => {
  test('has a payment for each, and a refund of both is a credit memo for each', async () => {
    const order = await fresh('twoInvoices');
    const payments = order.payments.map(({ id, refundable, refundableOnline }) => ({
      id,
      amountMinor: refundable.amountMinor,
      moneyMoved: refundableOnline,
    }));
    expect(payments.map(({ amountMinor }) => amountMinor)).toEqual([44_550, 17_600]);
    const lines = order.lines.map(({ id, quantity }) => line(id, quantity));
    const requested = of(order, 62_150, { kind: 'full', lines, payments, shippingMinor: 550 });
    const refund = value(await refunding.refund(session, requested));
    expect(refund).toMatchObject({ amount: { amountMinor: 62_150 }, moneyMoved: true, paymentId: null });
    expect(value(await refunding.find!(session, requested))).toEqual(refund);
    expect(store.refunds.of(storeOrder(order, 'twoInvoices'))).toHaveLength(2);
  });

  test('does not refund lines of one with the money of the other', async () => {
    const order = await fresh('twoInvoices');
    const [, rugs] = order.lines;
    const before = posted().length;
    const wrong = of(order, 8_800, { kind: 'lines', lines: [line(rugs?.id ?? '', 1)] });
    const refused = await refunding.refund(session, wrong);
    expect(code(refused)).toBe('refund.refused');
    expect(!refused.ok && refused.failure.message).toContain('payment_id');
    expect(posted()).toHaveLength(before);
    const { id } = order.payments[1] as OrderPayment;
    const right = { ...wrong, payments: [{ id, amountMinor: 8_800, moneyMoved: true }] };
    expect(value(await refunding.refund(session, right)).amount.amountMinor).toBe(8_800);
  });
});

describe('an order with fixed product taxes', () => {
  test('is not refunded by line: Magento adds the tax per unit and does not expose it', async () => {
    const order = await fresh('fixedTax');
    expect(order.totals.refundable.amountMinor).toBe(4_500);
    const lines = [line(order.lines[0]?.id ?? '', 1)];
    const before = posted().length;
    const calculated = await refunding.calculate!(session, order, { lines, shippingMinor: 0 });
    expect(code(calculated)).toBe('platform.refused');
    expect(!calculated.ok && calculated.failure.message).toContain('fixed product tax');
    const byLine = of(order, 2_250, { kind: 'lines', lines });
    expect(code(await refunding.refund(session, byLine))).toBe('refund.refused');
    const restocked = of(order, 100, { kind: 'amount', lines: [{ ...lines[0]!, restock: true }] });
    expect(code(await refunding.refund(session, restocked))).toBe('refund.refused');
    expect(posted()).toHaveLength(before);
  });

  test('is refunded by amount, and in full to the cent', async () => {
    const order = await fresh('fixedTax');
    expect(value(await refunding.refund(session, of(order, 2_250))).amount.amountMinor).toBe(2_250);
    const lines = order.lines.map(({ id, refundableQuantity }) => line(id, refundableQuantity));
    const rest = value(await refunding.refund(session, of(order, 2_250, { kind: 'full', lines })));
    expect(rest.amount.amountMinor).toBe(2_250);
    expect(await orderOf(Number(order.externalId))).toMatchObject({
      paymentStatus: 'refunded',
      totals: { refundable: { amountMinor: 0 } },
    });
  });

  test('is not refunded in full with restocking: restocked items have to be on the credit memo', async () => {
    const order = await fresh('fixedTax');
    const lines = order.lines.map(({ id, refundableQuantity }) => line(id, refundableQuantity, true));
    const requested = of(order, 4_500, { kind: 'full', lines });
    expect(code(await refunding.refund(session, requested))).toBe('refund.refused');
  });
});

describe.each(['giftCard', 'storeCredit', 'points', 'wrapped', 'customFee'] as const)(
  'an order with totals that the API does not expose: %s',
  (name) => {
    test('cannot be refunded through the store, and is rejected before any request', async () => {
      const order = await fresh(name);
      expect(order.payments).toMatchObject([{ refundableOnline: false }]);
      const before = posted().length;
      const lines = order.lines.map(({ id, quantity }) => line(id, quantity));
      const calculated = await refunding.calculate!(session, order, { lines, shippingMinor: 0 });
      expect(code(calculated)).toBe('platform.refused');
      const { id } = firstPayment(order);
      for (const moneyMoved of [true, false]) {
        for (const more of [{ kind: 'amount' }, { kind: 'lines', lines }, { kind: 'full', lines }] as const) {
          const payments = [{ id, amountMinor: 500, moneyMoved }];
          const refused = await refunding.refund(session, of(order, 500, { ...more, payments }));
          expect(code(refused)).toBe('refund.refused');
          expect(!refused.ok && refused.failure.message).toContain('admin');
        }
      }
      expect(posted()).toHaveLength(before);
    });
  },
);

describe('money that the store cannot send', () => {
  test.each(['cheque', 'capturedElsewhere'] as const)('is only recorded: %s', async (name) => {
    const order = await fresh(name);
    expect(order.payments).toMatchObject([{ id: 'offline', refundableOnline: false }]);
    const sent = store.gateway.sent().length;
    const requested = of(order, 500);
    const refund = value(await refunding.refund(session, requested));
    expect(refund).toMatchObject({ status: 'succeeded', moneyMoved: false, paymentId: 'offline' });
    expect(store.gateway.sent()).toHaveLength(sent);
    expect(value(await refunding.find!(session, requested))).toEqual(refund);
    expect(value(await refunding.find!(session, { ...requested, reference: 'rfd_other' }))).toBeNull();
  });
});

test.each([/\/orders\/\d+$/, /\/invoices$/, /\/creditmemos$/])(
  'nothing is sent if %s cannot be read first, so that nothing is unknown',
  async (unreadable) => {
    const order = await fresh('card');
    const before = posted().length;
    const garbled: typeof session = {
      ...session,
      async request(request) {
        const outcome = await session.request(request);
        return outcome.ok && unreadable.test(request.path)
          ? { ...outcome, value: { ...outcome.value, json: 'proxy' } }
          : outcome;
      },
    };
    expect(code(await refunding.refund(garbled, of(order, 500)))).toBe('platform.unavailable');
    expect(posted()).toHaveLength(before);
  },
);

describe('the payment provider', () => {
  test('declines: indistinguishable from money that moved, so the outcome is unknown', async () => {
    const order = await fresh('card');
    const requested = of(order, 500);
    store.gateway.declineNextRefund();
    expect(code(await refunding.refund(session, requested))).toBe('platform.outcome_unknown');
    expect(code(await refunding.find!(session, requested))).toBe('platform.outcome_unknown');
    expect(store.refunds.of(storeOrder(order, 'card'))).toEqual([]);
  });

  test('pays, and the store fails to save its credit memo: the outcome is unknown, never absent', async () => {
    const order = await fresh('card');
    const requested = of(order, 500);
    const before = store.gateway.sent().length;
    store.gateway.failNextRefundAfterPayment();
    expect(code(await refunding.refund(session, requested))).toBe('platform.outcome_unknown');
    expect(code(await refunding.find!(session, requested))).toBe('platform.outcome_unknown');
    expect(store.gateway.sent()).toHaveLength(before + 1);
  });
});

test('more than was paid is refused with Magento’s message, and so is a closed order', async () => {
  const order = await fresh('card');
  const tooMuch = await refunding.refund(session, of(order, 2_501));
  expect(code(tooMuch)).toBe('refund.refused');
  expect(!tooMuch.ok && tooMuch.failure.platform?.message).toContain(
    'The most money available to refund is 25.00.',
  );
  const closed = await orderOf(store.orderNamed('refunded').entity_id);
  expect(code(await refunding.refund(session, of(closed, 1)))).toBe('refund.refused');
});

test('our reference is stored where customers do not see it, and the customer is notified only on request', async () => {
  const order = await fresh('card');
  const reported = () => store.notifications().length;
  const before = reported();
  const requested = of(order, 100, { reason: 'damaged', note: 'Handle broke off' });
  expect(value(await refunding.refund(session, requested))).toMatchObject({
    reference: requested.reference,
    reason: 'damaged Handle broke off',
  });
  expect(posted().at(-1)?.json).toMatchObject({ appendComment: false, comment: { is_visible_on_front: 0 } });
  expect(posted().at(-1)?.json).not.toHaveProperty('notify');
  expect(reported()).toBe(before);
  value(await refunding.refund(session, of(order, 100, { notifyCustomer: true })));
  expect(reported()).toBe(before + 1);
  value(await refunding.refund(session, of(order, 100, { notifyCustomer: false })));
  expect(reported()).toBe(before + 1);
});

test('an order in another currency than the shopper saw is refunded in the currency of the payment', async () => {
  const order = await fresh('dollars');
  expect(order.totals.total).toEqual({ amountMinor: 3_687, currency: 'EUR' });
  value(await refunding.refund(session, of(order, 1_000)));
  expect(lastMemo(order, 'dollars')).toMatchObject({ base_grand_total: 10, grand_total: 10.84 });
});

test('a token without the refund permission is reported as such, not as unknown', async () => {
  const allowed = ALL_RESOURCES.filter((name) => name !== 'Magento_Sales::sales_invoice');
  const lacking = directSession(store, allowed);
  const order = store.orderNamed('card');
  const refused = await orders.get(lacking, String(order.entity_id));
  expect(code(refused)).toBe('platform.permission_missing');
  expect(!refused.ok && refused.failure.platform?.message).toBe(
    "The consumer isn't authorized to access Magento_Sales::sales_invoice.",
  );
});

describe('what the credit memo does not prove', () => {
  const answering = (change: Readonly<Record<string, unknown>>) =>
    withChangedResponses(
      session,
      ({ method, path }) => method === 'GET' && /\/creditmemo\/\d+$/.test(path),
      (body: object) => ({ ...body, ...change }),
    );

  test.each([null, undefined, 9])('a credit memo of the state %p is pending', async (state) => {
    const refunded = await refunding.refund(answering({ state }), of(await fresh('taxed'), 500));
    expect(value(refunded)).toMatchObject({ status: 'pending', amount: { amountMinor: 500 } });
  });

  test('a credit memo that does not name its invoice belongs to the refunded invoice', async () => {
    const order = await fresh('taxed');
    const refunded = await refunding.refund(answering({ invoice_id: null }), of(order, 500));
    expect(value(refunded)).toMatchObject({ status: 'succeeded', paymentId: firstPayment(order).id });
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another order', { order_id: 1 }],
    ['without a total', { base_grand_total: null }],
  ])('a credit memo %s is an unknown outcome', async (_name, change) => {
    expect(code(await refunding.refund(answering(change), of(await fresh('taxed'), 500)))).toBe(
      'platform.outcome_unknown',
    );
  });

  test('a credit memo in another currency does not have this amount', async () => {
    const refunded = await refunding.refund(
      answering({ base_currency_code: 'USD' }),
      of(await fresh('taxed'), 500),
    );
    expect(value(refunded).amount).toEqual({ amountMinor: 500, currency: 'USD' });
  });
});
