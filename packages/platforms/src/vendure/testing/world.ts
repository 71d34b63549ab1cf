import { headerPlace } from '../../kit/testing/key-place.js';
import { startSimulator, type SimulatedAnswer, type SimulatedRequest } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';
import { seededOrders, type VendureOrder, type VendureRefund } from './orders.js';

interface Options {
  readonly take: number;
  readonly skip: number;
  readonly sort: Readonly<Record<string, 'ASC' | 'DESC'>>;
  readonly filter: Readonly<Record<string, Filter>>;
}
interface Filter {
  readonly isNull?: boolean;
  readonly after?: string;
  readonly before?: string;
  readonly eq?: string;
  readonly in?: readonly string[];
  readonly notIn?: readonly string[];
}
interface Variables {
  readonly options?: Options;
  readonly id?: string;
  readonly input?: { readonly paymentId: string; readonly amount: number; readonly reason: string };
}

const say = (data: object): SimulatedAnswer => ({ status: 200, json: { data } });
const error = (code: string, message: string): SimulatedAnswer => ({
  status: 200,
  json: { errors: [{ message, extensions: { code } }], data: null },
});
const FORBIDDEN = error('FORBIDDEN', 'You are not currently authorized to perform this action');
const globalSettings = { serverConfig: { moneyStrategyPrecision: 2 } };

/** A server that answers as Vendure 3.6.3 was seen to (NOTES.md), with a ledger of refunds. */
export async function startWorld(): Promise<World> {
  const orders = seededOrders(41);
  let made = 0;
  let seconds = Date.parse('2026-11-22T12:00:00.000Z') / 1_000;

  function list({ take, skip, sort, filter }: Options): SimulatedAnswer {
    const [[field, way] = ['id', 'ASC']] = Object.entries(sort);
    const by = (order: VendureOrder) => String(order[field as 'updatedAt']);
    const found = orders
      .filter((order) =>
        Object.entries(filter).every(([name, wanted]) => fits(order[name as 'state'], wanted)),
      )
      .sort((one, other) => (by(one) < by(other) ? -1 : 1) * (way === 'DESC' ? -1 : 1));
    return say({
      globalSettings,
      orders: { totalItems: found.length, items: found.slice(skip, skip + take) },
    });
  }

  function refund({ paymentId, amount, reason }: NonNullable<Variables['input']>): SimulatedAnswer {
    const payment = orders.flatMap(({ payments }) => payments).find(({ id }) => id === paymentId);
    if (!payment) return error('ENTITY_NOT_FOUND', `No Payment with the id "${paymentId}" could be found`);
    const left = payment.refunds.reduce((rest, { total }) => rest - total, payment.amount);
    if (amount > left) {
      const message = 'The amount specified exceeds the refundable amount for this payment';
      return say({
        refundOrder: { __typename: 'RefundAmountError', errorCode: 'REFUND_AMOUNT_ERROR', message },
      });
    }
    const refunded: VendureRefund = {
      id: String(++made),
      total: amount,
      state: 'Settled',
      reason,
      paymentId,
      createdAt: new Date(++seconds * 1_000).toISOString(),
    };
    payment.refunds.push(refunded);
    return say({ refundOrder: { __typename: 'Refund', ...refunded } });
  }

  function call({ body }: SimulatedRequest): SimulatedAnswer {
    const { query, variables = {} } = body as { query: string; variables?: Variables };
    if (query.includes('refundOrder') && variables.input) return refund(variables.input);
    if (variables.options) return list(variables.options);
    if (query.includes('activeChannel')) {
      return say({ activeChannel: { id: '1', code: '__default_channel__' }, orders: { totalItems: 40 } });
    }
    if (variables.id === undefined) return say({ globalSettings });
    return say({ globalSettings, order: orders.find(({ id }) => id === variables.id) ?? null });
  }

  const asksForSettingsAlone = ({ body }: SimulatedRequest) => {
    const { query } = body as { query: string };
    return query.includes('globalSettings') && !query.includes('order');
  };
  const world = await startSimulator({
    account: { id: '', username: null, name: null, avatarUrl: null, url: null },
    expired: FORBIDDEN,
    unknown: FORBIDDEN,
    weak: (request) => (asksForSettingsAlone(request) ? null : FORBIDDEN),
    call,
    effects: () => made,
    textOf: () => '',
  });
  const id = `${new URL(world.baseUrl).host}/1`;
  // The settings, which say how many decimals an amount has.
  return {
    ...world,
    // Read on 2026-11-23, https://docs.vendure.io/current/framework/reference/typescript-api/auth/auth-options: `apiKeyHeaderKey`,
    // 'vendure-api-key' by default.
    keyPlaces: { api_key: headerPlace('vendure-api-key') },
    account: { ...world.account, id },
    readsBeforeRefund: 1,
    // Nullable in the schema: an order that there is not, and a refund by somebody else.
    omitted: ['data.order', 'data.order.payments.*.refunds.*.reason'],
    // Of the order and of the payment, not of the refund.
    otherStates: ['data.order.state', 'data.order.payments.*.state'],
  };
}

function fits(value: string | null, wanted: Filter): boolean {
  if (wanted.isNull === false && value === null) return false;
  const text = value ?? '';
  return (
    (wanted.after === undefined || text > wanted.after) &&
    (wanted.before === undefined || text < wanted.before) &&
    (wanted.eq === undefined || text === wanted.eq) &&
    (wanted.in === undefined || wanted.in.includes(text)) &&
    (wanted.notIn === undefined || !wanted.notIn.includes(text))
  );
}
