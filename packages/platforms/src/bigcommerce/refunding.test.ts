import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { RefundInstruction } from '@switchboard/domain/ports';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const session = () => testSession(world);
async function the(id: number): Promise<RemoteOrder> {
  const found = await orders.get(session(), String(id));
  if (!found.ok || !found.value) throw new Error(`no order ${id}`);
  return found.value;
}
const refund = (instruction: RefundInstruction) => refunding.refund(session(), instruction);
async function made(instruction: RefundInstruction) {
  const refunded = await refund(instruction);
  if (!refunded.ok) throw new Error(JSON.stringify(refunded.failure));
  return refunded.value;
}
async function found(instruction: RefundInstruction) {
  const read = await refunding.find?.(session(), instruction);
  if (!read?.ok) throw new Error(read?.failure.code);
  return read.value;
}
const refusal = async (instruction: RefundInstruction) => {
  const before = world.effects();
  const refused = await refund(instruction);
  expect(world.effects()).toBe(before);
  if (refused.ok) throw new Error('it was not refused');
  return refused.failure;
};

/** Everything that remains, as the domain requests it. */
const full = (order: RemoteOrder, more: Partial<RefundInstruction> = {}): RefundInstruction => ({
  ...buildInstruction(order.externalId, 'provider', order.currency, order.totals.refundable.amountMinor),
  kind: 'full',
  payments: order.payments.map(({ id, refundable, refundableOnline }) => ({
    id,
    amountMinor: refundable.amountMinor,
    moneyMoved: refundableOnline,
  })),
  lines: order.lines.map(({ id, refundableQuantity: quantity }) => ({
    id,
    quantity,
    restock: false,
    locationId: null,
  })),
  shippingMinor: order.shippingLines.reduce((sum, line) => sum + line.refundable.amountMinor, 0),
  ...more,
});

/** Lines and shipping, for the total that the store quotes. */
async function lines(order: RemoteOrder, quantity: number, shippingMinor: number) {
  const requested = {
    lines: order.lines.map(({ id }) => ({ id, quantity, restock: false, locationId: null })),
    shippingMinor,
  };
  const calculated = await refunding.calculate?.(session(), order, requested);
  if (!calculated?.ok) throw new Error(calculated?.failure.code);
  const { linesMinor } = calculated.value;
  const { shippingMinor: shipping } = calculated.value;
  const instruction: RefundInstruction = {
    ...buildInstruction(order.externalId, 'provider', order.currency, linesMinor + shipping),
    kind: 'lines',
    lines: requested.lines,
    shippingMinor: shipping,
  };
  return { calculated: calculated.value, instruction };
}

describe('lines and shipping', () => {
  test('have the store’s total, with tax and less discounts, and are refunded as themselves', async () => {
    // Three at 22.30 less 3.00, 8 % on top; 5.00 of shipping too.
    const order = await the(123);
    const { calculated, instruction } = await lines(order, 1, 540);
    expect(calculated).toEqual({ linesMinor: 2300, shippingMinor: 540 });
    expect(await made(instruction)).toMatchObject({ amount: { amountMinor: 2840 } });
    const after = await the(123);
    expect(after.lines).toMatchObject([{ quantity: 3, refundableQuantity: 2 }]);
    expect(after.shippingLines).toMatchObject([
      { total: { amountMinor: 540 }, refundable: { amountMinor: 0 } },
    ]);
  });

  test.each([1, 100, 333, 539])('a part of shipping, %i, is refunded until nothing remains', async (part) => {
    const { calculated, instruction } = await lines(await the(103), 1, part);
    expect(Math.abs(calculated.shippingMinor - part)).toBeLessThanOrEqual(1);
    expect(await made(instruction)).toMatchObject({ amount: { amountMinor: instruction.amountMinor } });
    const [left] = (await the(103)).shippingLines;
    const rest = await lines(await the(103), 1, left?.refundable.amountMinor ?? 0);
    expect(await made(rest.instruction)).toMatchObject({ status: 'pending' });
    expect((await the(103)).shippingLines).toMatchObject([{ refundable: { amountMinor: 0 } }]);
  });

  test('shipping to several addresses, and prices that include tax', async () => {
    for (const [id, shippingMinor] of [
      [121, 1080],
      [122, 540],
    ] as const) {
      const { calculated, instruction } = await lines(await the(id), 1, shippingMinor);
      expect(calculated.shippingMinor).toBe(shippingMinor);
      await made(instruction);
    }
  });

  test('an amount that the store does not quote is not sent', async () => {
    const { instruction } = await lines(await the(103), 1, 0);
    const more = { ...instruction, amountMinor: instruction.amountMinor + 1 };
    expect(await refusal(more)).toMatchObject({ code: 'refund.refused', platform: { name: 'BigCommerce' } });
  });

  test('a quote moves nothing', async () => {
    await lines(await the(103), 1, 540);
    expect(world.effects()).toBe(0);
    expect(world.requestedPaths()).not.toContain('POST /v3/orders/103/payment_actions/refunds');
  });
});

describe('everything', () => {
  // By card; with handling; with two addresses; with a fee; a download; without decimals; less a discount.
  test.each([103, 110, 121, 127, 111, 112, 123])('of order %i is refunded as itself', async (id) => {
    const order = await the(id);
    await made(full(order));
    expect(world.store.truth(id)).toMatchObject({
      refunded: order.totals.total.amountMinor,
      asCredit: 0,
      outside: 0,
    });
    const types = world.store.orders().find((one) => one.id === id)?.refunds[0]?.items ?? [];
    expect(types.map(({ item_type: type }) => type)).not.toContain('ORDER');
    expect((await the(id)).totals.refundable.amountMinor).toBe(0);
  });

  test('after a part was refunded as an amount, the rest is refunded as an amount', async () => {
    await made(buildInstruction('103', 'provider', 'USD', 1000));
    const order = await the(103);
    await made(full(order));
    expect(world.store.truth(103)).toMatchObject({ refunded: order.totals.captured.amountMinor });
  });

  test('is refunded by its own method, also in parts', async () => {
    const order = await the(116);
    await made(full(order));
    expect(world.store.truth(116)).toMatchObject({
      refunded: order.totals.total.amountMinor,
      asCredit: 1000,
    });
  });
});

test('store credit is not chosen for money from another method, though the store offers it first', async () => {
  await made(buildInstruction('129', 'provider', 'USD', 500));
  expect(world.store.truth(129)).toMatchObject({ refunded: 500, asCredit: 0, outside: 0 });
});

describe('money from outside of BigCommerce', () => {
  const outside = (moneyMoved: boolean) => ({
    ...buildInstruction('109', 'provider', 'USD', 500),
    payments: [{ id: 'provider', amountMinor: 500, moneyMoved }],
  });

  test('is recorded as refunded at once, and does not move', async () => {
    expect(await made(outside(false))).toMatchObject({ status: 'succeeded', moneyMoved: false });
    expect(world.store.truth(109)).toMatchObject({ refunded: 500, outside: 500 });
  });

  test('is not reported to move', async () => {
    expect(await refusal(outside(true))).toMatchObject({
      code: 'refund.refused',
      platform: { message: 'This is an offline payment provider.' },
    });
  });

  test('is the only kind that is only recorded', async () => {
    const noted = { ...outside(false), orderExternalId: '103' };
    await made(noted);
    expect(world.store.truth(103)).toMatchObject({ outside: 500 });
    expect(world.store.orders().find(({ id }) => id === 103)?.refunds).toMatchObject([
      { payments: [{ provider: 'custom', offline: true }] },
    ]);
  });
});

describe('a refund whose money has not been sent yet', () => {
  const instruction = () => buildInstruction('103', 'provider', 'USD', 700, { reason: 'Cracked' });

  test('is pending until the provider has executed it', async () => {
    const requested = instruction();
    const pending = await made(requested);
    expect(pending).toMatchObject({ status: 'pending', moneyMoved: true, reason: 'Cracked' });
    expect(await found(requested)).toEqual(pending);
    const order = await the(103);
    expect(order.totals).toMatchObject({ refunded: { amountMinor: 0 } });
    expect(order.totals.captured.amountMinor - order.totals.refundable.amountMinor).toBe(700);
    world.store.refunds.settleAll();
    expect(await found(requested)).toEqual({ ...pending, status: 'succeeded' });
    expect((await the(103)).totals).toMatchObject({ refunded: { amountMinor: 700 } });
  });

  test('has failed when the provider declines it, and the money is refundable again', async () => {
    const requested = instruction();
    await made(requested);
    world.store.refunds.declineAll();
    expect(await found(requested)).toMatchObject({ status: 'failed', amount: { amountMinor: 700 } });
    const { captured, refundable } = (await the(103)).totals;
    expect(refundable).toEqual(captured);
  });

  test('has failed when its transaction did, and the order shows it too', async () => {
    const requested = instruction();
    await made(requested);
    world.store.refunds.failAll();
    expect(await found(requested)).toMatchObject({ status: 'failed', amount: { amountMinor: 700 } });
    const order = await the(103);
    expect(order.refunds).toMatchObject([{ status: 'failed' }]);
    expect(order.totals).toMatchObject({
      refunded: { amountMinor: 0 },
      refundable: order.totals.captured,
    });
  });

  test.each(['failAll', 'declineAll'] as const)(
    'requires a manual check when a part was refunded and the rest was not: %s',
    async (how) => {
      // By card and 10.00 of store credit.
      const requested = full(await the(116));
      await made(requested);
      world.store.refunds[how]();
      expect(world.store.truth(116)).toMatchObject({ refunded: 1000, asCredit: 1000 });
      expect(await refunding.find?.(session(), requested)).toMatchObject({
        ok: false,
        failure: { code: 'platform.outcome_unknown' },
      });
      expect((await the(116)).totals.refunded).toMatchObject({ amountMinor: 1000 });
    },
  );

  describe('if the provider leaves no transactions', () => {
    beforeEach(async () => {
      await world.close();
      world = await startWorld({ leavesTransactions: false });
    });

    test('is completed only after the provider had time to decline it', async () => {
      const requested = instruction();
      await made(requested);
      world.advanceMinutes(29);
      expect(await found(requested)).toMatchObject({ status: 'pending' });
      world.advanceMinutes(2);
      expect(await found(requested)).toMatchObject({ status: 'succeeded' });
      expect((await the(103)).totals).toMatchObject({ refunded: { amountMinor: 700 } });
    });

    test('has failed when it is declined late', async () => {
      const requested = instruction();
      await made(requested);
      expect(await found(requested)).toMatchObject({ status: 'pending' });
      world.advanceMinutes(10);
      world.store.refunds.declineAll();
      expect(await found(requested)).toMatchObject({ status: 'failed' });
    });
  });

  test.each(['failAll', 'declineAll'] as const)(
    'may be repeated after it has failed, though the order is still marked as refunded: %s',
    async (how) => {
      await world.close();
      world = await startWorld({ takesStatusBack: false });
      await made(full(await the(103)));
      world.store.refunds[how]();
      const order = await the(103);
      expect(order.rawStatus).toBe('Refunded/refunded');
      expect(order.totals.refundable).toEqual(order.totals.captured);
      await made(full(order));
      expect(world.store.truth(103)).toMatchObject({ refunded: order.totals.captured.amountMinor });
    },
  );

  test('settles by itself after some polls', async () => {
    await world.close();
    world = await startWorld({ settleAfterReads: 3 });
    const requested = instruction();
    await made(requested);
    expect((await found(requested))?.status).toBe('pending');
    expect((await found(requested))?.status).toBe('succeeded');
  });
});

test('is found by its marker also if the store keeps reasons only with the items', async () => {
  await world.close();
  world = await startWorld({ keepsReason: false });
  const instruction = buildInstruction('103', 'provider', 'USD', 700, { reason: 'Cracked', note: 'Box 4' });
  const refunded = await made(instruction);
  expect(refunded).toMatchObject({ reference: instruction.reference, reason: 'Cracked Box 4' });
  expect(await found(instruction)).toEqual(refunded);
});

test('a refund that exists twice requires a manual check', async () => {
  const instruction = buildInstruction('103', 'provider', 'USD', 700);
  await made(instruction);
  await made(instruction);
  expect(await refunding.find?.(session(), instruction)).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
});

test.each(['amount', 'full'] as const)(
  'a failed read (%s) before a refund is sent leaves no doubt about it',
  async (kind) => {
    const instruction =
      kind === 'full' ? full(await the(103)) : buildInstruction('103', 'provider', 'USD', 700);
    world.break('garbage');
    expect(await refusal(instruction)).toMatchObject({ code: 'platform.unavailable' });
  },
);

test('a reason is truncated to the store’s maximum', async () => {
  const instruction = buildInstruction('103', 'provider', 'USD', 700, { reason: 'x'.repeat(2000) });
  expect(await made(instruction)).toMatchObject({ reference: instruction.reference });
});

describe('finding 27: what the response does not prove is not reported', () => {
  interface Payment {
    id?: number;
    provider_id?: string;
    amount?: number;
    offline?: boolean;
    is_declined?: boolean | null;
    transaction_id?: string;
  }
  interface Refund {
    order_id?: number;
    payments?: Payment[] | null;
  }
  const instruction = () => buildInstruction('103', 'provider', 'USD', 700);
  const isRefunds = ({ path }: { readonly path: string }) => path.endsWith('/payment_actions/refunds');
  const isTransactions = ({ path }: { readonly path: string }) => path.endsWith('/transactions');
  const answering = (change: (refund: Refund) => void) =>
    withChangedResponses(session(), isRefunds, (body: { data: Refund | Refund[] }) => {
      [body.data].flat().forEach(change);
      return body;
    });
  const alone = ({ payments }: Refund): Payment => payments?.[0] ?? {};

  test.each<[string, (refund: Refund) => void]>([
    ['without payments', (refund) => delete refund.payments],
    ['with payments null', (refund) => (refund.payments = null)],
    ['with no payments', (refund) => (refund.payments = [])],
    ['that does not say whether it was declined', (refund) => delete alone(refund).is_declined],
    ['with is_declined null', (refund) => (alone(refund).is_declined = null)],
    [
      'of store credit that does not say whether it was declined',
      (refund) => {
        const credit = { provider_id: 'storecredit', offline: false, is_declined: null };
        if (refund.payments?.[0]) Object.assign(refund.payments[0], credit);
      },
    ],
    ['that names a transaction that was not read', (refund) => (alone(refund).transaction_id = '9')],
    ['that does not say whether it is offline', (refund) => delete alone(refund).offline],
  ])('a refund %s has not succeeded', async (name, change) => {
    const requested = name.startsWith('of store credit')
      ? { ...instruction(), payments: [{ id: 'provider', amountMinor: 700, moneyMoved: true }] }
      : instruction();
    const refunded = await refunding.refund(answering(change), requested);
    if (refunded.ok)
      expect(refunded.value).toMatchObject({ status: 'pending', amount: { amountMinor: 700 } });
    else expect(refunded.failure.code).toBe('platform.outcome_unknown');
    const read = await refunding.find?.(answering(change), requested);
    if (read?.ok) expect(read.value).toMatchObject({ status: 'pending', amount: { amountMinor: 700 } });
    else expect(read?.failure.code).toBe('platform.outcome_unknown');
  });

  test.each([null, 'settling', undefined])('a transaction of status %p moved nothing', async (status) => {
    const requested = instruction();
    await made(requested);
    world.store.refunds.settleAll();
    const changed = withChangedResponses(
      session(),
      isTransactions,
      (body: { data: { status?: string | null }[] }) => ({
        data: body.data.map((one) => ({ ...one, status })),
      }),
    );
    expect(await refunding.find?.(changed, requested)).toMatchObject({
      ok: true,
      value: { status: 'pending' },
    });
    expect(await found(requested)).toMatchObject({ status: 'succeeded' });
  });

  test('a refund of another order is not this one', async () => {
    const other = answering((refund) => (refund.order_id = 104));
    expect(await refunding.refund(other, instruction())).toMatchObject({
      ok: false,
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test.each<[string, Payment]>([
    ['another method', { provider_id: 'storecredit' }],
    ['in another amount', { amount: 6.99 }],
  ])('money refunded %s requires a manual check', async (_how, change) => {
    const requested = instruction();
    const other = answering((refund) => Object.assign(alone(refund), change));
    for (const result of [
      await refunding.refund(other, requested),
      await refunding.find?.(other, requested),
    ]) {
      expect(result).toMatchObject({ ok: false, failure: { code: 'platform.outcome_unknown' } });
    }
  });

  test.each([
    { status: 422, title: 'Refund amount exceeds the remaining amount', errors: null, detail: null },
    { status: 404, title: 'The resource was not found.', errors: [] },
    { status: 400, title: 'Bad request', type: 'about:blank', errors: {} },
  ])('a documented error body is a definite refusal: $status', async (body) => {
    const refusing = withChangedResponses(session(), isRefunds, () => body, body.status);
    expect(await refunding.refund(refusing, instruction())).toMatchObject({
      ok: false,
      failure: { code: 'refund.refused', platform: { code: String(body.status) } },
    });
  });

  test('an error body that is not the store’s leaves it unknown', async () => {
    const refusing = withChangedResponses(session(), isRefunds, () => '<html>', 403);
    expect(await refunding.refund(refusing, instruction())).toMatchObject({
      ok: false,
      failure: { code: 'platform.outcome_unknown' },
    });
  });
});
