import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Result } from '@switchboard/domain';
import type { RemoteOrder, RemoteRefund } from '@switchboard/domain/orders';
import type { RefundInstruction } from '@switchboard/domain/ports';
import type { RefundLine } from '@switchboard/domain/refunds';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { EVERYTHING, startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => void (world = await startWorld()));
afterEach(() => world.close());

const session = () => testSession(world);
function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
const idOf = (number: number) => String(5_500_000_000_000 + (number - 1_000) * 1_000);

async function order(number: number): Promise<RemoteOrder> {
  const found = value(await orders.get(session(), idOf(number)));
  if (!found) throw new Error(`there is no order #${number}`);
  return found;
}

/** Refunds an order, by default from its first payment. */
function instruct(of: RemoteOrder, amountMinor: number, more: Partial<RefundInstruction> = {}) {
  return buildInstruction(of.externalId, of.payments[0]?.id ?? '', of.currency, amountMinor, more);
}
const some = (of: RemoteOrder, at: number, quantity: number, more: Partial<RefundLine> = {}): RefundLine => ({
  id: of.lines[at]?.id ?? '',
  quantity,
  restock: false,
  locationId: null,
  ...more,
});

/** The last refund as the store has it. */
function made() {
  const last = world.store.refunds.list().at(-1);
  if (!last) throw new Error('nothing was refunded');
  return last.refund;
}
const refund = (instruction: RefundInstruction) => refunding.refund(session(), instruction);
const find = (instruction: RefundInstruction) =>
  refunding.find?.(session(), instruction) ?? Promise.reject(new Error('it cannot be looked up'));
async function calculate(of: RemoteOrder, lines: readonly RefundLine[], shippingMinor = 0) {
  const calculated = await refunding.calculate?.(session(), of, { lines, shippingMinor });
  if (!calculated) throw new Error('it cannot be calculated');
  return value(calculated);
}

describe('lines', () => {
  test('have Shopify’s total, with discounts, and unit by unit sum up to the whole', async () => {
    const paid = await order(1_044);
    const [teapots] = paid.lines;
    const whole = await calculate(paid, [some(paid, 0, 3)]);
    expect(whole).toEqual({ linesMinor: teapots?.total.amountMinor, shippingMinor: 0 });
    let sum = 0;
    for (let unit = 0; unit < 3; unit++) {
      const now = await order(1_044);
      const { linesMinor } = await calculate(now, [some(now, 0, 1)]);
      value(await refund(instruct(now, linesMinor, { kind: 'lines', lines: [some(now, 0, 1)] })));
      sum += linesMinor;
    }
    expect(sum).toBe(whole.linesMinor);
    expect((await order(1_044)).lines[0]?.refundableQuantity).toBe(0);
  });

  test('include the tax that is not in their price', async () => {
    const taxed = await order(1_042);
    expect(await calculate(taxed, [some(taxed, 0, 3)])).toEqual({
      linesMinor: 3_026 + 463,
      shippingMinor: 0,
    });
  });

  test('are not restocked unless requested', async () => {
    const paid = await order(1_044);
    value(await refund(instruct(paid, 900, { kind: 'lines', lines: [some(paid, 0, 1)] })));
    expect(made().lines).toMatchObject([{ quantity: 1, restockType: 'NO_RESTOCK', locationId: null }]);
  });

  test('are restocked separately: cancelled as far as they were not shipped, returned beyond', async () => {
    const paid = await order(1_044);
    const lines = [some(paid, 0, 3, { restock: true }), some(paid, 1, 1)];
    value(await refund(instruct(paid, 4_000, { kind: 'lines', lines, restock: true })));
    expect(made().lines).toMatchObject([
      { quantity: 2, restockType: 'CANCEL', locationId: 61 },
      { quantity: 1, restockType: 'RETURN', locationId: 61 },
      { quantity: 1, restockType: 'NO_RESTOCK' },
    ]);
  });

  test.each(['62', 'gid://shopify/Location/62'])('are restocked at the location %s', async (locationId) => {
    const paid = await order(1_044);
    const lines = [some(paid, 1, 1, { restock: true, locationId })];
    value(await refund(instruct(paid, 1_000, { kind: 'lines', lines, restock: true })));
    expect(made().lines).toMatchObject([{ restockType: 'CANCEL', locationId: 62 }]);
  });

  test('are restocked at a location of Shopify’s choice if the app may not see locations', async () => {
    await world.close();
    world = await startWorld({}, { ...EVERYTHING, scopes: ['write_orders'] });
    const paid = await order(1_044);
    value(
      await refund(instruct(paid, 1_000, { kind: 'lines', lines: [some(paid, 1, 1, { restock: true })] })),
    );
    expect(made().lines).toMatchObject([{ restockType: 'CANCEL', locationId: 61 }]);
  });

  test('with an explicit amount only determine what is restocked', async () => {
    const paid = await order(1_044);
    const lines = [some(paid, 0, 1, { restock: true })];
    const refunded = value(await refund(instruct(paid, 250, { kind: 'amount', lines, restock: true })));
    expect(refunded.amount.amountMinor).toBe(250);
    expect(made().lines).toMatchObject([{ quantity: 1, restockType: 'CANCEL' }]);
  });
});

describe('shipping', () => {
  test('is refunded in full, with its tax if that is not in the price', async () => {
    const taxed = await order(1_042);
    const remaining = taxed.shippingLines[0]?.refundable.amountMinor ?? 0;
    const { shippingMinor } = await calculate(taxed, [], remaining);
    expect(shippingMinor).toBe(499 + 79);
    value(await refund(instruct(taxed, shippingMinor, { kind: 'lines', shippingMinor })));
    expect(made().shipping).toBe(499);
    expect((await order(1_042)).shippingLines[0]?.refundable.amountMinor).toBe(0);
  });

  test('in part moves the requested amount with tax, and Shopify receives the fee in it', async () => {
    const taxed = await order(1_042);
    expect(await calculate(taxed, [], 200)).toEqual({ linesMinor: 0, shippingMinor: 200 });
    value(await refund(instruct(taxed, 200, { kind: 'lines', shippingMinor: 200 })));
    expect(made().shipping).toBe(173);
    const [rest] = (await order(1_042)).shippingLines;
    expect(rest).toMatchObject({ total: { amountMinor: 578 }, refundable: { amountMinor: 378 } });
    expect((await calculate(taxed, [], 378)).shippingMinor).toBe(378);
    value(await refund(instruct(taxed, 378, { kind: 'lines', shippingMinor: 378 })));
    expect((await order(1_042)).shippingLines[0]?.refundable.amountMinor).toBe(0);
  });

  test('in part is the requested amount if the tax is in the price', async () => {
    const paid = await order(1_044);
    expect((await calculate(paid, [], 200)).shippingMinor).toBe(200);
    value(await refund(instruct(paid, 200, { kind: 'lines', shippingMinor: 200 })));
    expect(made().shipping).toBe(200);
  });

  test('and lines are distinguished, even with equal totals', async () => {
    const taxed = await order(1_042);
    expect(await calculate(taxed, [some(taxed, 0, 3)], 100)).toEqual({
      linesMinor: 3_026 + 463,
      shippingMinor: 100,
    });
  });

  test('is part of a full refund', async () => {
    const taxed = await order(1_042);
    const { amountMinor } = taxed.totals.refundable;
    const lines = [some(taxed, 0, 3), some(taxed, 1, 1)];
    value(await refund(instruct(taxed, amountMinor, { kind: 'full', lines, shippingMinor: 578 })));
    expect(made().shipping).toBe(499);
    expect(await order(1_042)).toMatchObject({
      paymentStatus: 'refunded',
      totals: { refundable: { amountMinor: 0 }, refunded: { amountMinor } },
    });
  });
});

test.each([true, false, null])('whether the customer is notified: %s', async (notifyCustomer) => {
  value(await refund(instruct(await order(1_044), 100, { notifyCustomer })));
  expect(made().notified).toBe(notifyCustomer);
});

test('reason and note are stored with our marker, and read back without it', async () => {
  const instruction = instruct(await order(1_044), 100, { reason: 'broken', note: 'Two cups' });
  expect(value(await refund(instruction))).toMatchObject({
    reason: 'broken Two cups',
    reference: instruction.reference,
  });
  expect(made().note).toBe(`[${instruction.reference}] broken Two cups`);
});

describe('money', () => {
  test('is refunded to each of several payments, exactly', async () => {
    const both = await order(1_043);
    const [card, bank] = both.payments.map(({ id }) => id);
    const payments = [
      { id: card ?? '', amountMinor: 1_500, moneyMoved: true },
      { id: bank ?? '', amountMinor: 321, moneyMoved: true },
    ];
    const refunded = value(await refund(instruct(both, 1_821, { payments })));
    expect(refunded).toMatchObject({
      status: 'succeeded',
      amount: { amountMinor: 1_821 },
      paymentId: null,
      moneyMoved: true,
    });
    expect((await order(1_043)).payments.map(({ refundable }) => refundable.amountMinor)).toEqual([0, 2_750]);
  });

  test.each([
    [1_041, 'JPY', 4_563],
    [1_040, 'KWD', 4_559],
  ])('of order #%s is refunded in %s to the last unit', async (number, currency, total) => {
    const foreign = await order(number);
    expect(value(await refund(instruct(foreign, total)))).toMatchObject({
      amount: { amountMinor: total, currency },
    });
    expect((await order(number)).totals.refundable.amountMinor).toBe(0);
  });

  test('that Shopify only records has not moved', async () => {
    const deposit = await order(1_032);
    const payments = [{ id: deposit.payments[0]?.id ?? '', amountMinor: 300, moneyMoved: false }];
    expect(value(await refund(instruct(deposit, 300, { payments })))).toMatchObject({
      status: 'succeeded',
      moneyMoved: false,
    });
  });

  test('that is in transit is pending, counts as refunded, and is found when it has arrived', async () => {
    const klarna = await order(1_031);
    const instruction = instruct(klarna, 500);
    const pending = value(await refund(instruction));
    expect(pending).toMatchObject({ status: 'pending', moneyMoved: false });
    expect((await order(1_031)).totals.refundable.amountMinor).toBe(
      klarna.totals.refundable.amountMinor - 500,
    );
    expect(value(await find(instruction))).toEqual(pending);
    world.store.refunds.settle(pending.externalId);
    expect(value(await find(instruction))).toMatchObject({ status: 'succeeded', moneyMoved: true });
  });

  test('that never arrived has failed, and is refundable again', async () => {
    const klarna = await order(1_031);
    const instruction = instruct(klarna, 500);
    world.store.refunds.fail(value(await refund(instruction)).externalId);
    expect(value(await find(instruction))).toMatchObject({ status: 'failed', moneyMoved: false });
    expect((await order(1_031)).totals).toEqual(klarna.totals);
  });

  test('that ended in an error may have been refunded: it counts as refunded, and is not reported as failed', async () => {
    const klarna = await order(1_031);
    const instruction = instruct(klarna, 500);
    world.store.refunds.error(value(await refund(instruction)).externalId);
    expect(value(await find(instruction))).toMatchObject({ status: 'pending', moneyMoved: false });
    const after = await order(1_031);
    expect(after.totals.refundable.amountMinor).toBe(klarna.totals.refundable.amountMinor - 500);
    expect(after.payments[0]?.refunded.amountMinor).toBe(500);
  });

  test('with a pending part is pending as a whole, and less than requested if that part fails', async () => {
    const klarna = await order(1_031);
    const payments = klarna.payments.map(({ id }) => ({ id, amountMinor: 400, moneyMoved: true }));
    const instruction = instruct(klarna, 800, { payments });
    const pending = value(await refund(instruction));
    expect(pending).toMatchObject({ status: 'pending', amount: { amountMinor: 800 }, moneyMoved: false });
    world.store.refunds.fail(pending.externalId);
    expect(value(await find(instruction))).toMatchObject({
      status: 'succeeded',
      amount: { amountMinor: 400 },
    });
  });

  test('is never refunded beyond what was received', async () => {
    const paid = await order(1_044);
    const refused = await refund(instruct(paid, paid.totals.total.amountMinor + 1));
    expect(refused).toMatchObject({ failure: { code: 'refund.refused', platform: { name: 'Shopify' } } });
    expect(world.effects()).toBe(0);
  });
});

describe('the same refund again', () => {
  test('is the existing one', async () => {
    const instruction = instruct(await order(1_044), 700);
    const [first, second] = [value(await refund(instruction)), value(await refund(instruction))];
    expect(second).toEqual(first);
    expect(world.effects()).toBe(1);
    expect(world.store.refunds.list()).toMatchObject([{ key: instruction.reference }]);
  });

  test('with another amount is unknown, since one of them was made', async () => {
    const paid = await order(1_044);
    const instruction = instruct(paid, 700);
    const first = value(await refund(instruction));
    const other = await refund({ ...instruct(paid, 800), reference: instruction.reference });
    expect(other).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(value(await find(instruction))).toEqual(first);
  });

  test('is refused when the first was', async () => {
    const paid = await order(1_044);
    const instruction = instruct(paid, 1_000_000);
    await refund(instruction);
    expect(await refund(instruction)).toMatchObject({ failure: { code: 'refund.refused' } });
    expect(world.effects()).toBe(0);
  });

  test('is made twice after a day: the lookup prevents that, not the key', async () => {
    const instruction = instruct(await order(1_044), 700);
    value(await refund(instruction));
    world.advanceHours(25);
    expect(value(await find(instruction))).not.toBeNull();
    value(await refund(instruction));
    expect(world.effects()).toBe(2);
    expect(await find(instruction)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });
});

describe('a mutation with a GraphQL error', () => {
  test('was not executed when rate limited, and can be sent again', async () => {
    const instruction = instruct(await order(1_044), 700);
    world.store.disturb('throttled', 1);
    const throttled = await refund(instruction);
    expect(throttled).toMatchObject({ failure: { code: 'platform.rate_limited', retryAfterSeconds: 1 } });
    expect(value(await find(instruction))).toBeNull();
    value(await refund(instruction));
    expect(world.effects()).toBe(1);
  });

  test.each([
    ['internal_error_before', 0],
    ['internal_error_after', 1],
  ] as const)('may have been executed with an %s', async (how, effects) => {
    const instruction = instruct(await order(1_044), 700);
    world.store.disturb(how, 1);
    expect(await refund(instruction)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(world.effects()).toBe(effects);
    const found: RemoteRefund | null = value(await find(instruction));
    expect(found?.amount.amountMinor ?? 0).toBe(effects * 700);
  });

  test.each(['user_error_after', 'denied_after'] as const)(
    'has been executed if a refund accompanies the error: %s',
    async (how) => {
      const instruction = instruct(await order(1_044), 700);
      world.store.disturb(how, 1);
      expect(await refund(instruction)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      expect(value(await find(instruction))).toMatchObject({ amount: { amountMinor: 700 } });
    },
  );

  test('was not executed without the permission to write', async () => {
    await world.close();
    world = await startWorld({}, { ...EVERYTHING, scopes: ['read_orders'] });
    expect(await refund(instruct(await order(1_044), 700))).toMatchObject({
      failure: { code: 'platform.permission_missing' },
    });
    expect(world.effects()).toBe(0);
  });
});

test('an order that Shopify does not return does not prove that nothing was refunded', async () => {
  const instruction = instruct(await order(1_003), 700);
  value(await refund(instruction));
  await world.close();
  world = await startWorld({}, { ...EVERYTHING, scopes: ['write_orders'] });
  expect(await find(instruction)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test.each([
  ['an order that does not exist', '5500000999000', null],
  ['an order without a number', 'nothing', null],
  ['a payment of another order', null, '5500000043501'],
])('%s is rejected before anything is sent', async (_what, orderExternalId, paymentId) => {
  const instruction = instruct(await order(1_044), 100);
  const refused = await refund({
    ...instruction,
    ...(orderExternalId && { orderExternalId }),
    ...(paymentId && { payments: [{ id: paymentId, amountMinor: 100, moneyMoved: true }] }),
  });
  expect(refused.ok ? 'ok' : refused.failure.code).toMatch(/^(refund|platform)\.refused$/);
  expect(world.effects()).toBe(0);
});

test('an order that cannot be read before a refund leaves no doubt about the refund', async () => {
  const instruction = instruct(await order(1_044), 100);
  world.break('garbage');
  expect(await refund(instruction)).toMatchObject({ failure: { code: 'platform.unavailable' } });
  expect(world.effects()).toBe(0);
});

describe('finding 28: what the response does not prove is not reported as refunded', () => {
  interface Body {
    data: {
      refundCreate?: {
        refund: {
          note: string | null;
          transactions: {
            nodes: {
              kind: string;
              status: string;
              parentTransaction: { id: string } | null;
              amountSet: { presentmentMoney: { currencyCode: string } };
            }[];
          };
        };
      };
    };
  }
  type CreatedRefund = NonNullable<Body['data']['refundCreate']>['refund'];
  const answering = (change: (refund: CreatedRefund) => unknown) =>
    withChangedResponses(
      session(),
      () => true,
      (body: Body) => {
        if (body.data.refundCreate) change(body.data.refundCreate.refund);
        return body;
      },
    );
  const alone = ({ transactions: { nodes } }: CreatedRefund) => nodes[0] ?? {};

  test.each<[string, (refund: CreatedRefund) => unknown]>([
    ['of an unknown status', (refund) => Object.assign(alone(refund), { status: 'SETTLING' })],
    ['of an unknown kind', (refund) => Object.assign(alone(refund), { kind: 'NEW' })],
  ])('a transaction %s leaves the refund pending', async (_name, change) => {
    const refunded = await refunding.refund(answering(change), instruct(await order(1_044), 500));
    expect(value(refunded)).toMatchObject({ status: 'pending', moneyMoved: false });
  });

  test.each<[string, (refund: CreatedRefund) => unknown]>([
    [
      'another payment',
      (refund) =>
        Object.assign(alone(refund), { parentTransaction: { id: 'gid://shopify/OrderTransaction/1' } }),
    ],
    [
      'another currency',
      (refund) =>
        Object.assign(alone(refund), {
          amountSet: { presentmentMoney: { amount: '5.00', currencyCode: 'XTS' } },
        }),
    ],
    ['another reference', (refund) => (refund.note = '[rfd_other]')],
    ['a transaction without an amount', (refund) => Object.assign(alone(refund), { amountSet: null })],
  ])('a response with %s is an unknown outcome', async (_name, change) => {
    expect(await refunding.refund(answering(change), instruct(await order(1_044), 500))).toMatchObject({
      ok: false,
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('a response without its note and its parent is still this refund', async () => {
    const refunded = await refunding.refund(
      answering((refund) => {
        refund.note = null;
        Object.assign(alone(refund), { parentTransaction: null });
      }),
      instruct(await order(1_044), 500),
    );
    expect(value(refunded)).toMatchObject({ amount: { amountMinor: 500 }, reference: null });
  });

  test.each([
    [400, { errors: { query: 'Required parameter missing or invalid' } }],
    [404, { errors: 'Not Found' }],
    [422, { errors: { base: ['is closed', 'is gone'] } }],
  ])('an HTTP %i with a documented body is a definite refusal', async (status, body) => {
    const paid = await order(1_044);
    const refusing = withChangedResponses(
      session(),
      ({ effect }) => effect === 'write',
      () => body,
      status,
    );
    expect(await refunding.refund(refusing, instruct(paid, 500))).toMatchObject({
      ok: false,
      failure: { code: 'refund.refused' },
    });
  });

  test.each([
    [400, {}],
    [404, 'nginx'],
  ])('an HTTP %i without one is an unknown outcome', async (status, body) => {
    const paid = await order(1_044);
    const refusing = withChangedResponses(
      session(),
      ({ effect }) => effect === 'write',
      () => body,
      status,
    );
    expect(await refunding.refund(refusing, instruct(paid, 500))).toMatchObject({
      ok: false,
      failure: { code: 'platform.outcome_unknown' },
    });
  });
});
