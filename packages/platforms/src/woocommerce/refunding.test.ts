import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { RefundInstruction } from '@switchboard/domain/ports';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { isDeclinedByProvider } from './declines.js';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const session = () => testSession(world);
const refund = (instruction: RefundInstruction) => refunding.refund(session(), instruction);
const find = (instruction: RefundInstruction) => refunding.find?.(session(), instruction);
const read = async (id: string): Promise<RemoteOrder> => {
  const found = await orders.get(session(), id);
  if (!found.ok || !found.value) throw new Error('there is no such order');
  return found.value;
};

async function orderLike(fits: (order: RemoteOrder) => boolean): Promise<RemoteOrder> {
  const listed = await orders.list(session(), { sort: 'created_at' }, { limit: 100 });
  const found = listed.ok && listed.value.orders.find(fits);
  if (!found) throw new Error('there is no such order');
  return found;
}
const paid = (currency: string) =>
  orderLike(
    (order) =>
      order.currency === currency &&
      order.paymentStatus === 'paid' &&
      order.payments[0]?.refundableOnline === true,
  );

const some = (order: RemoteOrder, amountMinor: number, more: Partial<RefundInstruction> = {}) =>
  buildInstruction(order.externalId, order.payments[0]?.id ?? '', order.currency, amountMinor, more);

const sent = () => {
  const post = world.exchanges().findLast(({ request }) => request.method === 'POST');
  return post?.request.body as Readonly<Record<string, unknown>>;
};

test('an amount is a string in the currency’s decimals, and the handling of money and stock is always explicit', async () => {
  for (const [currency, minor, written] of [
    ['EUR', 1_205, '12.05'],
    ['JPY', 12, '12'],
    ['BHD', 1_234, '1.234'],
  ] as const) {
    const order = await paid(currency);
    const created = await refund(some(order, minor, { reason: 'Cracked', note: 'Third time' }));
    expect(created).toMatchObject({ value: { status: 'succeeded', moneyMoved: true, reason: 'Cracked' } });
    expect(sent()).toMatchObject({ amount: written, api_refund: true, api_restock: false, line_items: [] });
    expect(sent()['meta_data']).toEqual([{ key: 'switchboard_note', value: 'Third time' }]);
    expect((await read(order.externalId)).totals.refunded.amountMinor).toBe(minor);
  }
});

test('if money cannot be sent back, the store is instructed to move none', async () => {
  const order = await orderLike(
    ({ payments, paymentStatus }) => paymentStatus === 'paid' && payments[0]?.refundableOnline === false,
  );
  const offline = some(order, 500);
  const payments = offline.payments.map((payment) => ({ ...payment, moneyMoved: false }));
  expect(await refund({ ...offline, payments })).toMatchObject({
    value: { moneyMoved: false, status: 'succeeded' },
  });
  expect(await refund(some(order, 500))).toMatchObject({ failure: { code: 'refund.refused' } });
});

describe('lines', () => {
  test('have their taxes and sum up to the plan exactly, unit by unit to the line’s total', async () => {
    const order = await paid('EUR');
    const [line] = order.lines;
    if (!line) throw new Error('it has no lines');
    let whole = 0;
    for (let unit = 0; unit < line.quantity; unit++) {
      const upTo = (units: number) => Math.floor((line.total.amountMinor * units) / line.quantity);
      const minor = upTo(unit + 1) - upTo(unit);
      const lines = [{ id: line.id, quantity: 1, restock: false, locationId: null }];
      expect((await refund(some(order, minor, { kind: 'lines', lines }))).ok).toBe(true);
      const [item] = sent()['line_items'] as [
        { refund_total: number; refund_tax: { id: number; refund_total: number }[] },
      ];
      const cents = [item.refund_total, ...item.refund_tax.map((tax) => tax.refund_total)].map((one) =>
        Math.round(one * 100),
      );
      expect(item.refund_tax.map(({ id }) => id)).toEqual([7, 9]);
      expect(cents.reduce((sum, one) => sum + one, 0)).toBe(minor);
      whole += minor;
      const remaining = (await read(order.externalId)).lines[0];
      expect(remaining?.refundableQuantity).toBe(line.quantity - unit - 1);
    }
    expect(whole).toBe(line.total.amountMinor);
  });

  test('are restocked on request only', async () => {
    const order = await paid('EUR');
    const [mug, saucer] = order.lines;
    if (!mug || !saucer) throw new Error('it has too few lines');
    const one = (id: string, restock: boolean) => [{ id, quantity: 1, restock, locationId: null }];
    await refund(some(order, 100, { kind: 'lines', lines: one(mug.id, false) }));
    expect(world.store.restocked(Number(mug.id))).toBe(0);
    await refund(some(order, saucer.total.amountMinor, { kind: 'lines', lines: one(saucer.id, true) }));
    expect([mug, saucer].map(({ id }) => world.store.restocked(Number(id)))).toEqual([0, 1]);
    // With an explicit amount a line determines only what is restocked.
    await refund(some(order, 250, { kind: 'amount', lines: one(mug.id, true) }));
    expect(world.store.restocked(Number(mug.id))).toBe(1);
    expect(sent()).toMatchObject({ amount: '2.50', line_items: [{ quantity: 1, refund_total: 0 }] });
  });

  test('and shipping are distinguished, each with its taxes', async () => {
    const order = await paid('EUR');
    const [shipping] = order.shippingLines;
    const shippingMinor = shipping?.refundable.amountMinor ?? 0;
    expect((await refund(some(order, shippingMinor, { kind: 'lines', shippingMinor }))).ok).toBe(true);
    expect(sent()['line_items']).toMatchObject([
      { id: Number(shipping?.id), refund_tax: [{ id: 7 }, { id: 9 }] },
    ]);
    const after = await read(order.externalId);
    expect(after.shippingLines[0]?.refundable.amountMinor).toBe(0);
    expect(after.totals.refunded.amountMinor).toBe(shippingMinor);
  });

  test('of goods sold by weight are one unit, refunded completely', async () => {
    const { id } = world.store.arrive({ quantity: 1.5 });
    const order = await read(String(id));
    const [line] = order.lines;
    expect(line).toMatchObject({ quantity: 1, refundableQuantity: 1, unitPrice: line?.total });
    const lines = [{ id: line?.id ?? '', quantity: 1, restock: true, locationId: null }];
    const minor = line?.total.amountMinor ?? 0;
    expect((await refund(some(order, minor, { kind: 'lines', lines }))).ok).toBe(true);
    expect(sent()['line_items']).toMatchObject([{ quantity: 1.5 }]);
    expect(world.store.restocked(Number(line?.id))).toBe(1.5);
    expect((await read(String(id))).lines[0]?.refundableQuantity).toBe(0);
    expect((await orders.list(session(), { sort: '-created_at' }, { limit: 3 })).ok).toBe(true);
  });

  test('of an order that was refunded without lines before are counted, and their money is not', async () => {
    const order = await paid('EUR');
    const all = order.totals.total.amountMinor;
    await refund(some(order, all - 100));
    const lines = order.lines.map(({ id, quantity }) => ({ id, quantity, restock: false, locationId: null }));
    const rest = await refund(some(order, 100, { kind: 'full', lines }));
    expect(rest).toMatchObject({ value: { amount: { amountMinor: 100 } } });
    expect(sent()['line_items']).toMatchObject([{ refund_total: 0 }, { refund_total: 0 }]);
    expect((await read(order.externalId)).lines.map((line) => line.refundableQuantity)).toEqual([0, 0]);
  });
});

describe('a store’s refusal', () => {
  test.each([400, 500] as const)('with a %s of a refund that exists counts as the refund', async (status) => {
    const order = await paid('EUR');
    world.store.refunds.setNotCreatedStatus(status);
    const created = await refund(some(order, 100));
    expect(created).toMatchObject({ ok: true, value: { status: 'succeeded', amount: { amountMinor: 100 } } });
    expect(world.effects()).toBe(1);
  });

  const declined = 'Your balance is too low';

  test('by the gateway, or by a failure after it had paid, requires a manual check: the two are indistinguishable', async () => {
    const order = await paid('EUR');
    world.store.refunds.decline(declined);
    const instruction = some(order, 100);
    expect(await refund(instruction)).toMatchObject({
      failure: { code: 'refund.unclear', platform: { message: declined } },
    });
    expect(await find(instruction)).toEqual({ ok: true, value: null });
    world.store.refunds.decline(null);

    const paidOut = world.store.refunds.paidOut();
    world.store.refunds.failOnceAfterPayment('The warehouse does not answer');
    expect(await refund(some(order, 200))).toMatchObject({
      failure: { code: 'refund.unclear', platform: { message: 'The warehouse does not answer' } },
    });
    expect((await read(order.externalId)).totals.refunded.amountMinor).toBe(0);
    expect(world.store.refunds.paidOut()).toBe(paidOut + 20_000);
  });

  describe('with the message of the payment provider (finding 31)', () => {
    const stated = 'There was a problem initiating a refund: ';
    const balance = `${stated}Insufficient funds in your Stripe balance to refund this amount.`;

    test('is a definite decline: nothing was made, and no manual check is required', async () => {
      const order = await paid('EUR');
      for (const words of [
        balance,
        `${stated}Charge ch_3MI9 has been charged back; cannot issue a refund.`,
      ]) {
        world.store.refunds.decline(words);
        expect(await refund(some(order, 100))).toMatchObject({
          failure: { code: 'refund.refused', platform: { message: words } },
        });
      }
      world.store.refunds.decline(null);
      expect(await refund(some(order, 100))).toMatchObject({ ok: true, value: { status: 'succeeded' } });
    });

    test.each([
      ['the gateway timed out', `${stated}There was a problem sending a request to the Stripe API endpoint.`],
      ['an earlier payment may be the reason', `${stated}Charge ch_3MI9 has already been refunded.`],
      ['the message has more than the provider’s text', `${balance} The warehouse does not answer`],
    ])('requires a manual check if %s', async (_why, words) => {
      const order = await paid('EUR');
      world.store.refunds.decline(words);
      expect(await refund(some(order, 100))).toMatchObject({ failure: { code: 'refund.unclear' } });
    });

    test('is a definite decline if WooPayments reports that it sends no request', () => {
      const uncaptured = (cancel: string) =>
        `This payment is not captured yet. To cancel this order, please go to 'Order Actions' > '${cancel}'. To proceed with a refund, please go to 'Order Actions' > 'Capture charge' to charge the payment card, and then trigger a refund via the 'Refund' button.`;
      const sentences = [
        uncaptured('Cancel authorization'),
        uncaptured('Cancel Authorization'),
        'The refund amount is not valid.',
        'You shall refund this payment in the same application where the payment was made.',
      ];
      for (const words of sentences) {
        expect(
          ['woocommerce_payments', 'woocommerce_payments_sepa_debit', 'woocommerce_paymentsx', 'stripe'].map(
            (id) => isDeclinedByProvider(id, words),
          ),
        ).toEqual([true, true, false, false]);
      }
      // It relays its own server's message, which it requests again if there is no response; PayPal's message
      // is the same for everything.
      expect(isDeclinedByProvider('woocommerce_payments', balance)).toBe(false);
      const any = 'An error occurred while attempting to create the refund using the payment gateway API.';
      expect(isDeclinedByProvider('ppcp-gateway', any)).toBe(false);
    });

    test('requires a manual check at another gateway, and if the store cannot show its refunds', async () => {
      expect(
        ['stripe', 'stripe_sepa', 'mollie', 'stripes'].map((id) => isDeclinedByProvider(id, balance)),
      ).toEqual([true, true, false, false]);
      world.store.refunds.decline(balance);
      const order = await paid('EUR');
      world.break('reset-before-effect', 1);
      expect(await refund(some(order, 100))).toMatchObject({ failure: { code: 'refund.unclear' } });
    });
  });

  test('before a gateway was contacted is quoted, and nothing was made', async () => {
    const order = await paid('EUR');
    world.store.refunds.failOnceAfterPayment('The warehouse does not answer');
    const offline = some(order, 100);
    const payments = offline.payments.map((payment) => ({ ...payment, moneyMoved: false }));
    expect(await refund({ ...offline, payments })).toMatchObject({
      failure: { code: 'refund.refused', platform: { message: 'The warehouse does not answer' } },
    });
    expect(await refund(some(order, order.totals.total.amountMinor + 1))).toMatchObject({
      failure: { code: 'refund.refused', platform: { message: 'Invalid refund amount.' } },
    });
    expect(world.effects()).toBe(0);
  });

  test('and an unreachable store require a manual check if money should have moved, and are looked up later otherwise', async () => {
    const order = await paid('EUR');
    world.store.refunds.decline(declined);
    world.break('reset-before-effect', 1);
    expect(await refund(some(order, 100))).toMatchObject({ failure: { code: 'refund.unclear' } });
    const offline = some(order, 100);
    const payments = offline.payments.map((payment) => ({ ...payment, moneyMoved: false }));
    world.store.refunds.failOnceAfterPayment('The warehouse does not answer');
    world.break('reset-before-effect', 1);
    expect(await refund({ ...offline, payments })).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('without a recognized error format leaves it unknown', async () => {
    const order = await paid('EUR');
    world.break('500-after');
    expect(await refund(some(order, 100))).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });

  test('of read-only keys does not end the connection', async () => {
    const order = await paid('EUR');
    world.reads(true);
    expect(await refund(some(order, 100))).toMatchObject({
      failure: { code: 'platform.permission_missing' },
    });
    expect(world.effects()).toBe(0);
  });

  test('of an unknown order is quoted, and nothing was made', async () => {
    expect(await refund(buildInstruction('1', 'order_1', 'EUR', 100))).toMatchObject({
      failure: { code: 'refund.refused', platform: { message: 'Invalid order ID.' } },
    });
  });
});

test('a refund whose payment the store does not report yet is pending', async () => {
  const order = await paid('EUR');
  const instruction = some(order, 100);
  const payments = instruction.payments.map((payment) => ({ ...payment, moneyMoved: false }));
  await refund({ ...instruction, payments });
  expect(await find(instruction)).toMatchObject({ value: { status: 'pending', moneyMoved: false } });
});

test('a refund that exists twice requires a manual check', async () => {
  const instruction = some(await paid('EUR'), 100);
  await refund(instruction);
  await refund(instruction);
  expect(await find(instruction)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('an amount that the store would round is rejected before anything is sent', async () => {
  await world.close();
  world = await startWorld({ decimals: 2 });
  const order = await orderLike(
    ({ currency, paymentStatus }) => currency === 'BHD' && paymentStatus === 'paid',
  );
  expect(await refund(some(order, 1_234))).toMatchObject({ failure: { code: 'refund.refused' } });
  expect(world.effects()).toBe(0);
  expect(await refund(some(order, 1_230))).toMatchObject({ value: { amount: { amountMinor: 1_230 } } });

  await world.close();
  world = await startWorld({ decimals: 0 });
  const whole = await paid('EUR');
  expect(await refund(some(whole, 333))).toMatchObject({ failure: { code: 'refund.refused' } });
  expect(world.effects()).toBe(0);
  expect(await refund(some(whole, 300))).toMatchObject({ value: { amount: { amountMinor: 300 } } });
});

describe('what the response does not prove', () => {
  const answering = (change: Readonly<Record<string, unknown>>) =>
    withChangedResponses(
      session(),
      ({ path }) => path.endsWith('/refunds'),
      (body: object | object[]) =>
        Array.isArray(body) ? body.map((one: object) => ({ ...one, ...change })) : { ...body, ...change },
    );

  test.each([null, undefined, false])('a refunded_payment of %p is not a success', async (stated) => {
    const instruction = some(await paid('EUR'), 100);
    const missingFact = answering({ refunded_payment: stated });
    for (const result of [
      await refunding.refund(missingFact, instruction),
      await refunding.find?.(missingFact, instruction),
    ]) {
      expect(result).toMatchObject({ ok: true, value: { status: 'pending', moneyMoved: false } });
    }
  });

  test('a response with another reference is an unknown outcome', async () => {
    const other = answering({ reason: '[rfd_other] Late' });
    expect(await refunding.refund(other, some(await paid('EUR'), 100))).toMatchObject({
      ok: false,
      failure: { code: 'platform.outcome_unknown' },
    });
  });
});
