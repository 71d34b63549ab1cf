import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { money, ok, type Result } from '@switchboard/domain';
import type { RefundInstruction, Session } from '@switchboard/domain/ports';
import { SQUARE_PERMISSIONS } from '@switchboard/simulators';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { startWorld } from './testing/world.js';

const PAID = { order: 'ORDER0000', payment: 'PAY0x0' };

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => void (world = await startWorld()));
afterEach(() => world.close());

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
const open = () => testSession(world);
const some = (amountMinor = 100, more: Partial<RefundInstruction> = {}) =>
  buildInstruction(PAID.order, PAID.payment, 'USD', amountMinor, more);
const find = async (instruction: RefundInstruction) =>
  value((await refunding.find?.(open(), instruction)) ?? ok(null));
const totals = async () => value(await orders.get(open(), PAID.order))?.totals;

/** A transport that runs an action just before the refund arrives. */
const openWhile = (happens: (sent: unknown) => void): Session => ({
  ...open(),
  request: (request) => {
    if (request.method === 'POST') happens(request.json);
    return open().request(request);
  },
});

/** A transport that answers every refund with an error code, after running an action. */
const openTo = (code: string, happens: () => void = () => {}): Session => ({
  ...open(),
  request: (request) => {
    if (request.method !== 'POST') return open().request(request);
    happens();
    return Promise.resolve(
      ok({
        status: 409,
        ok: false,
        headers: {},
        body: new Uint8Array(),
        json: { errors: [{ category: 'API_ERROR', code }] },
      }),
    );
  },
});

/** A request for a refund of 100 whose response is lost. */
function atSquare(body: Readonly<Record<string, unknown>>): void {
  const amount = { amount: 100, currency: 'USD' };
  world.store.respondAs(
    {
      method: 'POST',
      path: '/v2/refunds',
      query: new URLSearchParams(),
      headers: {},
      body: { payment_id: PAID.payment, amount_money: amount, ...body },
    },
    SQUARE_PERMISSIONS,
  );
}

function changePayment(changes: Readonly<Record<string, unknown>>): void {
  const payment = world.store.books.payments.get(PAID.payment);
  if (!payment) throw new Error('there is no such payment');
  world.store.books.payments.set(PAID.payment, { ...payment, ...changes });
}

describe('once', () => {
  test('the same refund sent again is the same refund', async () => {
    const [instruction, before] = [some(), world.effects()];
    const first = value(await refunding.refund(open(), instruction));
    expect(value(await refunding.refund(open(), instruction))).toEqual(first);
    expect(world.effects()).toBe(before + 1);
  });

  test('a full refund of a payment sent again is the same refund, and does not exceed it', async () => {
    const instruction = some(2160);
    const first = value(await refunding.refund(open(), instruction));
    expect(value(await refunding.refund(open(), instruction))).toEqual(first);
  });

  test('a pending refund that Square does not count yet reduces the remainder, and nothing is sent', async () => {
    atSquare({ idempotency_key: 'the counter', amount_money: { amount: 2100, currency: 'USD' } });
    const before = world.effects();
    expect(await refunding.refund(open(), some())).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect(world.effects()).toBe(before);
    value(await refunding.refund(open(), some(60)));
  });

  test.each([
    ['does not exist', () => world.store.books.payments.delete(PAID.payment)],
    ['has no version', () => changePayment({ version_token: null })],
    ['names a refund that does not exist', () => changePayment({ refund_ids: ['lost'] })],
  ])('nothing is sent for a payment that %s', async (_what, happens) => {
    happens();
    const before = world.effects();
    expect(await refunding.refund(open(), some())).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect(world.effects()).toBe(before);
    expect(world.exchanges().filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test.each([
    ['the payment', () => world.store.books.payments.delete(PAID.payment)],
    ['a refund that it names', () => changePayment({ refund_ids: ['lost'] })],
  ])('the absence of a refund is unknown while Square does not return %s', async (_what, happens) => {
    happens();
    expect(await refunding.find?.(open(), some())).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
  });

  test.each([false, true])(
    'an earlier request with our key that arrives at the same moment is the refund (whole bodies compared: %s)',
    async (strictKeys) => {
      await world.close();
      world = await startWorld({ strictKeys });
      const instruction = some();
      const before = world.effects();
      const late = (sent: unknown) => {
        const body = { ...(sent as Record<string, unknown>) };
        delete body['payment_version_token'];
        atSquare(body);
      };
      expect(value(await refunding.refund(openWhile(late), instruction))).toMatchObject({
        reference: instruction.reference,
      });
      expect(world.effects()).toBe(before + 1);
    },
  );

  test('a used key without a matching refund at Square requires a manual check', async () => {
    expect(await refunding.refund(openTo('IDEMPOTENCY_KEY_REUSED'), some())).toMatchObject({
      failure: { code: 'refund.unclear', platform: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  test('a change that Square does not show may be our own refund', async () => {
    expect(await refunding.refund(openTo('VERSION_MISMATCH'), some())).toMatchObject({
      failure: { code: 'platform.outcome_unknown', platform: { code: 'VERSION_MISMATCH' } },
    });
  });

  test('whatever the refusal is, an earlier request of ours that arrived at the same moment is the refund', async () => {
    const instruction = some();
    const session = openTo('REFUND_AMOUNT_INVALID', () =>
      atSquare({ idempotency_key: 'an earlier one', reason: `[${instruction.reference}]` }),
    );
    expect(value(await refunding.refund(session, instruction))).toMatchObject({
      reference: instruction.reference,
    });
  });

  test('another client’s refund at the same moment stops ours, and nothing was sent', async () => {
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
    const late = () => atSquare({ idempotency_key: 'an earlier one', reason: `[${instruction.reference}]` });
    const before = world.effects();
    expect(value(await refunding.refund(openWhile(late), instruction))).toMatchObject({
      reference: instruction.reference,
    });
    expect(world.effects()).toBe(before + 1);
  });

  test.each(['GATEWAY_TIMEOUT', 'SERVICE_UNAVAILABLE', 'TEMPORARY_ERROR', 'CONFLICT'])(
    'a %s leaves the outcome unknown, with every status',
    async (code) => {
      expect(await refunding.refund(openTo(code), some())).toMatchObject({
        failure: { code: 'platform.outcome_unknown' },
      });
    },
  );

  test.each([
    ['that Square returns is refused', () => atSquare({ idempotency_key: 'the counter' }), 'refund.refused'],
    ['that it does not return may be waiting for our own', () => {}, 'platform.outcome_unknown'],
  ])('a refund that waits for another %s', async (_what, happens, code) => {
    const session = openTo('REFUND_ALREADY_PENDING', happens);
    expect(await refunding.refund(session, some())).toMatchObject({ failure: { code } });
  });
});

describe('settled', () => {
  test('a refund is pending until Square has completed it, and counts from the beginning', async () => {
    const instruction = some();
    expect(value(await refunding.refund(open(), instruction))).toMatchObject({ status: 'pending' });
    expect(await totals()).toMatchObject({ refunded: money(100, 'USD'), refundable: money(2060, 'USD') });
    world.store.refunds.settle();
    expect(await find(instruction)).toMatchObject({ status: 'succeeded', amount: money(100, 'USD') });
    expect(await totals()).toMatchObject({ refunded: money(100, 'USD'), refundable: money(2060, 'USD') });
  });

  test.each(['reject', 'fail'] as const)(
    'a refund that ends in a %s has failed, and its money is refundable again',
    async (how) => {
      const instruction = some();
      value(await refunding.refund(open(), instruction));
      world.store.refunds[how]();
      expect(await find(instruction)).toMatchObject({ status: 'failed' });
      expect(await totals()).toMatchObject({ refunded: money(0, 'USD'), refundable: money(2160, 'USD') });
    },
  );

  test('a decline of the card issuer is a refusal with its own message', async () => {
    world.store.refunds.takeRefunds(false);
    expect(await refunding.refund(open(), some())).toMatchObject({
      failure: { code: 'refund.refused', platform: { name: 'Square', code: 'REFUND_DECLINED' } },
    });
  });

  test('money has moved for a refund of which one part is recorded and the other goes to a card', async () => {
    const mixed = buildInstruction('ORDER0004', 'PAY4x0', 'JPY', 200, {
      payments: [
        { id: 'PAY4x0', amountMinor: 100, moneyMoved: true },
        { id: 'PAY4x1', amountMinor: 100, moneyMoved: false },
      ],
    });
    expect(value(await refunding.refund(open(), mixed))).toMatchObject({ moneyMoved: true });
  });

  test('a cash payment is recorded at once, and no money moves', async () => {
    const cash = buildInstruction('ORDER0003', 'PAY3x0', 'USD', 100, {
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
    buildInstruction('ORDER0010', 'PAY10x0', 'JPY', 500 + second, {
      payments: [
        { id: 'PAY10x0', amountMinor: 500, moneyMoved: true },
        { id: 'PAY10x1', amountMinor: second, moneyMoved: true },
      ],
      ...more,
    });

  test('a refund takes the given amount from each, is one, and is found as one', async () => {
    const [instruction, before] = [both(300), world.effects()];
    const created = value(await refunding.refund(open(), instruction));
    expect(created).toMatchObject({ amount: money(800, 'JPY'), status: 'pending', moneyMoved: true });
    expect(world.effects()).toBe(before + 2);
    expect(await find(instruction)).toEqual(created);
    value(await refunding.refund(open(), instruction));
    expect(world.effects()).toBe(before + 2);
  });

  test('a refund of which Square made only a part is unknown, and remains so in a lookup', async () => {
    const instruction = both(1_000_000);
    expect(await refunding.refund(open(), instruction)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
    expect(await refunding.find?.(open(), instruction)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });
});

test('our reference is kept completely if a reason is too long for Square', async () => {
  const instruction = some(100, { reason: 'x'.repeat(150), note: '🏺'.repeat(60) });
  value(await refunding.refund(open(), instruction));
  const { reason = '' } = world.store.refunds.all().at(-1) ?? {};
  expect(reason.length).toBeLessThanOrEqual(192);
  expect(reason.isWellFormed()).toBe(true);
  expect(await find(instruction)).toMatchObject({ reference: instruction.reference });
});

describe('what the response does not prove', () => {
  const answering = (change: Readonly<Record<string, unknown>>) =>
    withChangedResponses(
      open(),
      ({ path }) => path.startsWith('/v2/refunds'),
      (body: { refund: Record<string, unknown> }) => ({ refund: { ...body.refund, ...change } }),
    );

  test.each([null, undefined, 'SETTLING'])(
    'a refund of the status %p is pending, also in a lookup',
    async (status) => {
      const instruction = some();
      const session = answering({ status });
      expect(await refunding.refund(session, instruction)).toMatchObject({
        ok: true,
        value: { status: 'pending' },
      });
      expect(await refunding.find?.(session, instruction)).toMatchObject({
        ok: true,
        value: { status: 'pending' },
      });
    },
  );

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['another payment', { payment_id: 'PAY9x9' }],
    ['no amount', { amount_money: { currency: 'USD' } }],
  ])('a response with %s is an unknown outcome', async (_name, change) => {
    expect(await refunding.refund(answering(change), some())).toMatchObject({
      ok: false,
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('a refund that does not name its payment belongs to the payment that names it', async () => {
    const instruction = some();
    const session = answering({ payment_id: null });
    const created = value(await refunding.refund(session, instruction));
    expect(created).toMatchObject({ paymentId: PAID.payment, amount: money(100, 'USD') });
    expect(value((await refunding.find?.(session, instruction)) ?? ok(null))).toMatchObject({
      paymentId: PAID.payment,
    });
  });
});
