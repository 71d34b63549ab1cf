import { fieldsOf, okResponse, textOf } from '@switchboard/simulators';
import { startRoutes } from '@switchboard/platform-kit/testing/simulator';
import { createOrder } from './test-order.js';
import { error, testAccount } from './test-account.js';

/** Acme as documented, with forty orders. */
export function startWorld() {
  const orders = Array.from({ length: 40 }, (_, at) => createOrder(at));
  const find = (id: unknown) => orders.find((order) => order.id === id);
  let refunded = 0;
  return startRoutes({
    ...testAccount,
    routes: {
      ...testAccount.routes,
      'GET /v1/orders': ({ query }) => {
        const sorted = query.get('sort')?.startsWith('-') ? orders.toReversed() : orders;
        const start = sorted.findIndex(({ id }) => id === query.get('cursor')) + 1;
        const page = sorted.slice(start, start + Number(query.get('limit')));
        return okResponse({ orders: page, next: sorted.at(-1) === page.at(-1) ? null : page.at(-1)?.id });
      },
      'GET /v1/orders/:id': ({ params: { id } }) =>
        find(id) ? okResponse(find(id)) : error(404, 'not_found'),
      'POST /v1/orders/:id/refunds': ({ params, body }) => {
        const { payment_id: id, amount, reference } = fieldsOf(body);
        const order = find(params['id']);
        const payment = order?.payments.find((one) => one.id === id);
        if (!order || !payment) return error(404, 'not_found');
        if (Number(amount) > payment.captured - payment.refunded) return error(422, 'amount_too_large');
        payment.refunded += Number(amount);
        const made = {
          id: `refund_${(refunded += 1)}`,
          payment_id: id,
          amount,
          reference: textOf(reference),
        };
        order.refunds.push({ ...made, status: 'succeeded', created_at: order.updated_at });
        return { status: 201, json: order.refunds.at(-1) };
      },
    },
    effects: () => refunded,
  });
}
