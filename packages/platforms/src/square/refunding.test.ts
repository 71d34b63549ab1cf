import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { money, ok, type RefundInstruction, type Result, type Session } from '@switchboard/domain';
import { SQUARE_PERMISSIONS } from '@switchboard/simulators';
import { instructionOf } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { startWorld, type SquareWorld } from './testing/world.js';

const PAID = { order: 'ORDER0000', payment: 'PAY0x0' };

let world: SquareWorld;
beforeEach(async () => void (world = await startWorld()));
afterEach(() => world.close());

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
const open = () => testSession(world);
const some = (amountMinor = 100, more: Partial<RefundInstruction> = {}) =>
  instructionOf(PAID.order, PAID.payment, 'USD', amountMinor, more);
const find = async (instruction: RefundInstruction) =>
  value((await refunding.find?.(open(), instruction)) ?? ok(null));
const totals = async () => value(await orders.get(open(), PAID.order))?.totals;

/** A line on which something happens just before the refund arrives. */
const openWhile = (happens: () => void): Session =>
  testSession({ ...world, onRequest: ({ method }) => method === 'POST' && happens() });

describe('once', () => {
  test('the same refund sent again is the same refund', async () => {
    const [instruction, before] = [some(), world.effects()];
    const first = value(await refunding.refund(open(), instruction));
    expect(value(await refunding.refund(open(), instruction))).toEqual(first);
    expect(world.effects()).toBe(before + 1);
  });

  test('a key that was used for something else leaves it unknown', async () => {
    const instruction = some(100);
    value(await refunding.refund(open(), instruction));
    const other = { ...some(200), reference: instruction.reference };
    expect(await refunding.refund(open(), other)).toMatchObject({
      failure: { code: 'platform.outcome_unknown', platform: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  test('somebody else’s refund at the same moment stops ours, and nothing was sent', async () => {
    const before = world.effects();
    const refused = await refunding.refund(
      openWhile(() => world.store.refunds.makeInStore(PAID.payment, 50)),
      some(),
    );
    expect(refused).toMatchObject({
      failure: { code: 'platform.unavailable', platform: { code: 'VERSION_MISMATCH' } },
    });
    expect(world.effects()).toBe(before + 1);
    expect((await totals())?.refunded).toEqual(money(50, 'USD'));
  });

  test('an earlier request of ours that arrives at the same moment is the refund', async () => {
    const instruction = some();
    const late = () => {
      const body = {
        idempotency_key: 'an earlier one',
        payment_id: PAID.payment,
        amount_money: { amount: 100, currency: 'USD' },
        reason: `[${instruction.reference}]`,
      };
      world.store.answerAs(
        { method: 'POST', path: '/v2/refunds', query: new URLSearchParams(), headers: {}, body },
        SQUARE_PERMISSIONS,
      );
    };
    const before = world.effects();
    expect(value(await refunding.refund(openWhile(late), instruction))).toMatchObject({
      reference: instruction.reference,
    });
    expect(world.effects()).toBe(before + 1);
  });

  /** A line on which every refund is answered with a code. */
  const openTo = (code: string): Session => ({
    ...open(),
    request: (request) =>
      request.method === 'POST'
        ? Promise.resolve(
            ok({
              ...{ status: 409, ok: false, headers: {}, body: new Uint8Array() },
              json: { errors: [{ category: 'API_ERROR', code }] },
            }),
          )
        : open().request(request),
  });

  test.each(['GATEWAY_TIMEOUT', 'SERVICE_UNAVAILABLE', 'TEMPORARY_ERROR', 'CONFLICT'])(
    'a %s says nothing of what happened, whatever the status',
    async (code) => {
      expect(await refunding.refund(openTo(code), some())).toMatchObject({
        failure: { code: 'platform.outcome_unknown' },
      });
    },
  );

  test('a refund that waits for another is refused', async () => {
    expect(await refunding.refund(openTo('REFUND_ALREADY_PENDING'), some())).toMatchObject({
      failure: { code: 'refund.refused' },
    });
  });
});

describe('settled', () => {
  test('a refund is pending until Square has completed it, and is counted from the beginning', async () => {
    const instruction = some();
    expect(value(await refunding.refund(open(), instruction))).toMatchObject({ status: 'pending' });
    expect(await totals()).toMatchObject({ refunded: money(100, 'USD'), refundable: money(2060, 'USD') });
    world.store.refunds.settle();
    expect(await find(instruction)).toMatchObject({ status: 'succeeded', amount: money(100, 'USD') });
    expect(await totals()).toMatchObject({ refunded: money(100, 'USD'), refundable: money(2060, 'USD') });
  });

  test.each(['reject', 'fail'] as const)(
    'a refund that comes to a %s has failed, and its money is there again',
    async (how) => {
      const instruction = some();
      value(await refunding.refund(open(), instruction));
      world.store.refunds[how]();
      expect(await find(instruction)).toMatchObject({ status: 'failed' });
      expect(await totals()).toMatchObject({ refunded: money(0, 'USD'), refundable: money(2160, 'USD') });
    },
  );

  test('a card’s issuer that declines is a refusal in its own words', async () => {
    world.store.refunds.takeRefunds(false);
    expect(await refunding.refund(open(), some())).toMatchObject({
      failure: { code: 'refund.refused', platform: { name: 'Square', code: 'REFUND_DECLINED' } },
    });
  });

  test('what was paid in cash is booked at once, and no money moves', async () => {
    const cash = instructionOf('ORDER0003', 'PAY3x0', 'USD', 100, {
      payments: [{ id: 'PAY3x0', amountMinor: 100, moneyMoved: false }],
    });
    expect(value(await refunding.refund(open(), cash))).toMatchObject({
      status: 'succeeded',
      moneyMoved: false,
    });
  });
});

describe('of several payments', () => {
  const both = (second: number, more: Partial<RefundInstruction> = {}) =>
    instructionOf('ORDER0010', 'PAY10x0', 'JPY', 500 + second, {
      payments: [
        { id: 'PAY10x0', amountMinor: 500, moneyMoved: true },
        { id: 'PAY10x1', amountMinor: second, moneyMoved: true },
      ],
      ...more,
    });

  test('a refund takes from each what it was told, is one, and is found as one', async () => {
    const [instruction, before] = [both(300), world.effects()];
    const made = value(await refunding.refund(open(), instruction));
    expect(made).toMatchObject({ amount: money(800, 'JPY'), status: 'pending', moneyMoved: true });
    expect(world.effects()).toBe(before + 2);
    expect(await find(instruction)).toEqual(made);
    value(await refunding.refund(open(), instruction));
    expect(world.effects()).toBe(before + 2);
  });

  test('a refund of which Square made only a part is unknown, and found so', async () => {
    const instruction = both(1_000_000);
    expect(await refunding.refund(open(), instruction)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
    expect(await refunding.find?.(open(), instruction)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });
});

test('our reference stays whole where a reason is too long for Square', async () => {
  const instruction = some(100, { reason: 'x'.repeat(150), note: '🏺'.repeat(60) });
  value(await refunding.refund(open(), instruction));
  const { reason = '' } = world.store.refunds.all().at(-1) ?? {};
  expect(reason.length).toBeLessThanOrEqual(192);
  expect(reason.isWellFormed()).toBe(true);
  expect(await find(instruction)).toMatchObject({ reference: instruction.reference });
});
