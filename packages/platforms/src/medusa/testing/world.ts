import type { WireRequest, WireResponse } from '@switchboard/simulators';
import { basicUsernameLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { World } from '@switchboard/platform-kit/testing/world';
import { seededOrders, type MedusaOrder, type MedusaPayment, type MedusaRefund } from './orders.js';

const refuse = (status: number, type: string, message: string): WireResponse => ({
  status,
  json: { type, message },
});

/** A store that responds as Medusa 2.20.0 was observed to (NOTES.md), with a ledger of refunds. */
export async function startWorld(): Promise<World> {
  const orders = seededOrders(40);
  let created = 0;
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;

  function list(query: URLSearchParams): WireResponse {
    const sort = query.get('order') ?? 'display_id';
    const field = sort.replace('-', '') as 'created_at' | 'updated_at' | 'display_id';
    const statuses = query.getAll('status[]');
    const bounds = (['created_at', 'updated_at'] as const).flatMap((time) =>
      (['$gte', '$lt', '$lte'] as const).map((how) => ({ time, how, at: query.get(`${time}[${how}]`) })),
    );
    const fits = (order: MedusaOrder) =>
      (statuses.length === 0 || statuses.includes(order.status)) &&
      bounds.every(({ time, how, at }) => at === null || within(order[time], how, at));
    const found = orders
      .filter(fits)
      .sort((one, other) => (one[field] < other[field] ? -1 : 1) * (sort.startsWith('-') ? -1 : 1));
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 15)];
    return {
      status: 200,
      json: { orders: found.slice(offset, offset + limit), count: found.length, offset, limit },
    };
  }

  function refund(payment: MedusaPayment, body: unknown): WireResponse {
    const { amount, note = null } = body as { amount?: unknown; note?: string };
    if (typeof amount !== 'number') {
      return refuse(400, 'invalid_data', `Invalid request: Expected type: 'number' for field 'amount'`);
    }
    if (amount <= 0)
      return refuse(400, 'invalid_data', `Invalid request: Value for field 'amount' too small`);
    const captured = sumOf(payment.captures);
    // It tolerates one of the smallest unit.
    if (captured - sumOf(payment.refunds) - amount < -0.0101) {
      return refuse(400, 'invalid_data', 'You are not allowed to refund more than the captured amount');
    }
    const made_at = new Date(++seconds * 1_000).toISOString();
    const refunded: MedusaRefund = {
      id: `ref_${++created}`,
      amount,
      note,
      payment_id: payment.id,
      created_at: made_at,
    };
    payment.refunds.push(refunded);
    const order = orders.find(({ id }) => id === payment.order_id);
    if (order) order.updated_at = made_at;
    return { status: 200, json: { payment } };
  }

  function call({ method, path, query, body }: WireRequest): WireResponse {
    const [, , things, id = '', action] = path.split('/').map(decodeURIComponent);
    const none = (what: string) => refuse(404, 'not_found', `${what} id not found: ${id}`);
    if (things === 'stores') return { status: 200, json: { stores: [{ id: 'store_1', name: 'Kiln & Co' }] } };
    if (things === 'orders') {
      if (id === '') return list(query);
      const order = orders.find((one) => one.id === id);
      return order ? { status: 200, json: { order } } : none('Order');
    }
    const payment = orders
      .flatMap((order) => order.payment_collections.flatMap(({ payments }) => payments))
      .find((one) => one.id === id);
    if (!payment) return none('Payment');
    return method === 'POST' && action === 'refund'
      ? refund(payment, body)
      : { status: 200, json: { payment } };
  }

  const world = await startSimulator({
    account: { id: 'store_1', username: null, name: null, avatarUrl: null, url: null },
    simulator: {
      respondAs: (request, owner) =>
        owner === null ? { status: 401, json: { message: 'Unauthorized' } } : call(request),
    },
    owner: 'owner',
    effects: () => created,
    textOf: () => '',
  });
  // A refund without a note belongs to another client.
  return {
    ...world,
    // Read on 2026-11-23, https://docs.medusajs.com/api/admin#authentication, and `getApiKeyInfo` of
    // medusajs/medusa (1e48869, packages/core/framework/src/http/middlewares/authenticate-middleware.ts):
    // Basic, the key as the user name and no password.
    keyLocations: { secret_key: basicUsernameLocation },
    omittedFields: ['payment.refunds.*.note'],
  };
}

const sumOf = (some: readonly { readonly amount: number }[]) =>
  some.reduce((total, { amount }) => total + amount, 0);

function within(time: string, how: '$gte' | '$lt' | '$lte', at: string): boolean {
  if (how === '$gte') return time >= at;
  return how === '$lt' ? time < at : time <= at;
}
