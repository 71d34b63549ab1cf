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
const changingOrders = (change: (order: Row, payment: Row) => unknown) =>
  withChangedResponses(
    open(),
    ({ path }) => path.startsWith('/admin/orders'),
    (body: { orders?: Row[]; order?: Row }) => {
      for (const order of [...(body.orders ?? []), ...(body.order ? [body.order] : [])]) {
        const [collection] = order['payment_collections'] as { payments: Row[] }[];
        change(order, collection?.payments[0] ?? {});
      }
      return body;
    },
  );
const some = () => buildInstruction('order_000', 'pay_0', 'USD', 500);

test.each<[string, (order: Row, payment: Row) => unknown]>([
  ['an amount is null', (order) => (order['original_total'] = null)],
  ['it has no time', (order) => (order['created_at'] = null)],
  ['its payment is in another currency', (_, payment) => (payment['currency_code'] = 'xts')],
  ['its refund has no amount', (_, payment) => (payment['refunds'] = [{ id: 'ref_x', amount: null }])],
])('one unreadable order does not fail its page: %s', async (_name, spoil) => {
  const all = (await listing(open())).found.map(({ externalId }) => externalId);
  // The newest too: the pages are counted from it.
  for (const id of ['order_039', 'order_020']) {
    for (const limit of [3, 100]) {
      const changed = changingOrders((order, payment) => order['id'] === id && spoil(order, payment));
      const listed = await listing(changed, limit);
      expect(listed.found.map(({ externalId }) => externalId)).toEqual(all.filter((one) => one !== id));
      expect(listed.notes).toEqual(['orders.unreadable']);
    }
  }
});

test('an order in yen with fractions has no more refundable than captured (finding 33)', async () => {
  const changed = changingOrders((order, payment) => {
    order['currency_code'] = 'jpy';
    order['payment_status'] = null;
    order['original_total'] = 1000.6;
    payment['captures'] = [{ amount: 500.3 }, { amount: 500.3 }];
  });
  const order = value(await orders.get(changed, 'order_000'));
  const whole = { amountMinor: 1000, currency: 'JPY' };
  expect(order).toMatchObject({
    paymentStatus: 'paid',
    totals: { captured: whole, refundable: whole },
    payments: [{ captured: whole, refundable: whole }],
  });
});

test.each([null, undefined])('a payment whose refunds are %p has no remainder', async (refunds) => {
  const changed = changingOrders((_order, payment) => (payment['refunds'] = refunds));
  const order = value(await orders.get(changed, 'order_000'));
  expect(order?.totals).toMatchObject({ refundable: { amountMinor: 0 } });
});

test.each([null, undefined, 'something_new'])(
  'a payment_status of %p is derived from the payments',
  async (status) => {
    value(await refunding.refund(open(), some()));
    const changed = changingOrders((order) => (order['payment_status'] = status));
    const states = new Map((await listing(changed)).found.map((one) => [one.externalId, one.paymentStatus]));
    expect(states.get('order_000')).toBe('partially_refunded');
    expect(states.get('order_001')).toBe('paid');
    expect(states.get('order_004')).toBe('pending');
  },
);

const answering = (change: (payment: Row & { refunds: Row[] }) => unknown) =>
  withChangedResponses(
    open(),
    ({ path }) => path.startsWith('/admin/payments'),
    (body: { payment: Row & { refunds: Row[] } }) => {
      change(body.payment);
      return body;
    },
  );

test('a refund that does not name its payment belongs to the refunded payment', async () => {
  const instruction = some();
  const session = answering(({ refunds }) => refunds.forEach((one) => delete one['payment_id']));
  expect(value(await refunding.refund(session, instruction))).toMatchObject({ paymentId: 'pay_0' });
  expect(value(await refunding.find?.(session, instruction))).toMatchObject({ paymentId: 'pay_0' });
});

test.each<[string, (payment: Row & { refunds: Row[] }) => unknown]>([
  ['of another payment', (payment) => (payment['id'] = 'pay_1')],
  ['in another currency', (payment) => (payment['currency_code'] = 'eur')],
  ['with the refund twice', ({ refunds }) => refunds.push(...refunds)],
  ['without refunds', (payment) => (payment.refunds = [])],
])('a response %s is an unknown outcome', async (_name, change) => {
  expect(await refunding.refund(answering(change), some())).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
});

test.each([
  [400, 'invalid_data', 'platform.refused'],
  [404, 'not_found', 'platform.refused'],
  // "The request conflicted with another request. You may retry the request": from any step of the workflow.
  [409, 'conflict', 'platform.outcome_unknown'],
])('an HTTP %i of the type %s is %s', async (status, type, code) => {
  const body = { type, message: 'No.' };
  const session = withChangedResponses(
    open(),
    ({ effect }) => effect === 'write',
    () => body,
    status,
  );
  const refused = await refunding.refund(session, some());
  expect(refused).toMatchObject({
    ok: false,
    failure: { code: code === 'platform.refused' ? 'refund.refused' : code },
  });
});
