import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Result } from '@switchboard/domain';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { Session } from '@switchboard/domain/ports';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { withChangedResponses } from '@switchboard/platform-kit/testing/with-changed-responses';
import { testSession } from '@switchboard/platform-kit/testing/session';
import type { World } from '@switchboard/platform-kit/testing/world';
import { orders } from './orders.js';
import { refunding } from './refunding.js';
import { startWorld } from './testing/world.js';

let world: World;
beforeEach(async () => void (world = await startWorld()));
afterEach(() => world.close());

function value<Value>(result: Result<Value> | undefined): Value {
  if (!result?.ok) throw new Error(JSON.stringify(result));
  return result.value;
}
const open = () => testSession(world);
type Row = Record<string, unknown>;
interface Body {
  data: { orders?: { items: Row[] }; order?: Row; refundOrder?: Row };
}

async function listing(session: Session, limit = 100) {
  const found: RemoteOrder[] = [];
  const notes = new Set<string>();
  let token: string | undefined;
  do {
    const listed = value(await orders.list(session, { sort: '-created_at' }, { limit, token }));
    found.push(...listed.orders);
    listed.notes?.forEach((note) => notes.add(note));
    token = listed.next;
  } while (token !== undefined);
  return { found, notes: [...notes] };
}
const changingOrders = (change: (order: Row) => unknown) =>
  withChangedResponses(
    open(),
    () => true,
    (body: Body) => {
      [...(body.data.orders?.items ?? []), ...(body.data.order ? [body.data.order] : [])].forEach(change);
      return body;
    },
  );
const paymentsOf = (order: Row) => (order['payments'] ?? []) as (Row & { refunds: Row[] })[];

/** The oldest order, which is paid. */
async function some(amountMinor = 500) {
  const order = value(await orders.get(open(), '1'));
  const payment = order?.payments[0];
  if (!order || !payment) throw new Error('there is no such order');
  return buildInstruction(order.externalId, payment.id, order.currency, amountMinor);
}

test.each<[string, (order: Row) => unknown]>([
  ['an amount is null', (order) => (order['totalWithTax'] = null)],
  ['it has no time', (order) => (order['updatedAt'] = null)],
  [
    'a refund of it has no amount',
    (order) => paymentsOf(order).forEach((payment) => payment.refunds.push({ id: 'x', total: null })),
  ],
])('one unreadable order does not fail its page: %s', async (_name, spoil) => {
  const all = (await listing(open())).found.map(({ externalId }) => externalId);
  for (const limit of [3, 100]) {
    const listed = await listing(
      changingOrders((order) => order['id'] === '20' && spoil(order)),
      limit,
    );
    expect(listed.found.map(({ externalId }) => externalId)).toEqual(all.filter((id) => id !== '20'));
    expect(listed.notes).toEqual(['orders.unreadable']);
  }
});

test('a payment of an unknown state is not captured, and its refunded amount counts', async () => {
  value(await refunding.refund(open(), await some()));
  const changed = changingOrders((order) =>
    paymentsOf(order).forEach((payment) => (payment['state'] = 'Settling')),
  );
  expect(value(await orders.get(changed, '1'))).toMatchObject({
    paymentStatus: 'partially_refunded',
    totals: { captured: { amountMinor: 0 }, refundable: { amountMinor: 0 } },
  });
});

test.each<[string, (order: Row) => unknown]>([
  ['payments that are null', (order) => (order['payments'] = null)],
  ['none of its payments', (order) => (order['payments'] = [])],
  ['another currency', (order) => (order['currencyCode'] = 'XTS')],
])('an order with %s does not prove that a refund was not made', async (_name, change) => {
  const instruction = await some();
  value(await refunding.refund(open(), instruction));
  expect(await refunding.find?.(changingOrders(change), instruction)).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
  expect(value(await refunding.find?.(open(), instruction))).toMatchObject({ status: 'succeeded' });
});

test('an order that is not returned does not prove it either', async () => {
  const instruction = await some();
  const gone = withChangedResponses(
    open(),
    () => true,
    (body: Body) => ({ data: { ...body.data, order: null } }),
  );
  expect(await refunding.find?.(gone, instruction)).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
});

const answering = (change: (body: Body & Row) => unknown) =>
  withChangedResponses(open(), ({ effect }) => effect === 'write', change);

test('a refund of an unknown state is pending', async () => {
  const session = answering(({ data }) => ({
    data: { refundOrder: { ...data.refundOrder, state: 'Settling' } },
  }));
  expect(value(await refunding.refund(session, await some()))).toMatchObject({
    status: 'pending',
    moneyMoved: false,
  });
});

test.each<[string, (body: Body & Row) => unknown]>([
  [
    'a refund of another payment',
    ({ data }) => ({ data: { refundOrder: { ...data.refundOrder, paymentId: '99' } } }),
  ],
  [
    'a refund that could not change its state, after the payment’s handler was called',
    () => ({
      data: {
        refundOrder: {
          __typename: 'RefundStateTransitionError',
          errorCode: 'REFUND_STATE_TRANSITION_ERROR',
          message: 'Cannot transition Refund from "Pending" to "Settled"',
        },
      },
    }),
  ],
  [
    'an unknown result type',
    () => ({ data: { refundOrder: { __typename: 'NewError', errorCode: 'NEW_ERROR', message: 'New' } } }),
  ],
  [
    'an error about a field of the created refund',
    () => ({
      data: null,
      errors: [
        {
          message: 'Not found',
          path: ['refundOrder', 'createdAt'],
          extensions: { code: 'ENTITY_NOT_FOUND' },
        },
      ],
    }),
  ],
])('%s is an unknown outcome', async (_name, change) => {
  expect(await refunding.refund(answering(change), await some())).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
});

test.each(['REFUND_AMOUNT_ERROR', 'ALREADY_REFUNDED_ERROR', 'PAYMENT_ORDER_MISMATCH_ERROR'])(
  '%s is a definite refusal',
  async (errorCode) => {
    const refusing = answering(() => ({
      data: { refundOrder: { __typename: 'X', errorCode, message: 'No' } },
    }));
    expect(await refunding.refund(refusing, await some())).toMatchObject({
      ok: false,
      failure: { code: 'refund.refused' },
    });
  },
);

test('an order in yen with fractions has no more refundable than captured (finding 33)', async () => {
  const changed = changingOrders((order) => {
    order['currencyCode'] = 'JPY';
    order['totalWithTax'] = 100_060;
    paymentsOf(order).forEach((payment) => (payment['amount'] = 100_060));
  });
  const order = value(await orders.get(changed, '1'));
  const whole = { amountMinor: 1000, currency: 'JPY' };
  expect(order).toMatchObject({
    paymentStatus: 'paid',
    totals: { captured: whole, refundable: whole },
    payments: [{ captured: whole, refundable: whole }],
  });
});
