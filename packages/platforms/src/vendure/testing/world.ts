import type { WireRequest, WireResponse } from '@switchboard/simulators';
import { headerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { World } from '@switchboard/platform-kit/testing/world';
import { seededOrders, type VendureOrder, type VendureRefund } from './orders.js';

interface ListOptions {
  readonly take: number;
  readonly skip: number;
  readonly sort: Readonly<Record<string, 'ASC' | 'DESC'>>;
  readonly filter: Readonly<Record<string, FieldFilter>>;
}
interface FieldFilter {
  readonly isNull?: boolean;
  readonly after?: string;
  readonly before?: string;
  readonly eq?: string;
  readonly in?: readonly string[];
  readonly notIn?: readonly string[];
}
interface QueryVariables {
  readonly options?: ListOptions;
  readonly id?: string;
  readonly input?: { readonly paymentId: string; readonly amount: number; readonly reason: string };
}

const dataResponse = (data: object): WireResponse => ({ status: 200, json: { data } });
const errorResponse = (code: string, message: string): WireResponse => ({
  status: 200,
  json: { errors: [{ message, extensions: { code } }], data: null },
});
const FORBIDDEN = errorResponse('FORBIDDEN', 'You are not currently authorized to perform this action');
const globalSettings = { serverConfig: { moneyStrategyPrecision: 2 } };

/** A server that responds as Vendure 3.6.3 was observed to (NOTES.md), with a ledger of refunds. */
export async function startWorld(): Promise<World> {
  const orders = seededOrders(41);
  let created = 0;
  let seconds = Date.parse('2026-11-22T12:00:00.000Z') / 1_000;

  function list({ take, skip, sort, filter }: ListOptions): WireResponse {
    const [[field, connectMethod] = ['id', 'ASC']] = Object.entries(sort);
    const by = (order: VendureOrder) => String(order[field as 'updatedAt']);
    const found = orders
      .filter((order) =>
        Object.entries(filter).every(([name, wanted]) => fits(order[name as 'state'], wanted)),
      )
      .sort((one, other) => (by(one) < by(other) ? -1 : 1) * (connectMethod === 'DESC' ? -1 : 1));
    return dataResponse({
      globalSettings,
      orders: { totalItems: found.length, items: found.slice(skip, skip + take) },
    });
  }

  function refund({ paymentId, amount, reason }: NonNullable<QueryVariables['input']>): WireResponse {
    const payment = orders.flatMap(({ payments }) => payments).find(({ id }) => id === paymentId);
    if (!payment)
      return errorResponse('ENTITY_NOT_FOUND', `No Payment with the id "${paymentId}" could be found`);
    const remaining = payment.refunds.reduce((rest, { total }) => rest - total, payment.amount);
    if (amount > remaining) {
      const message = 'The amount specified exceeds the refundable amount for this payment';
      return dataResponse({
        refundOrder: { __typename: 'RefundAmountError', errorCode: 'REFUND_AMOUNT_ERROR', message },
      });
    }
    const refunded: VendureRefund = {
      id: String(++created),
      total: amount,
      state: 'Settled',
      reason,
      paymentId,
      createdAt: new Date(++seconds * 1_000).toISOString(),
    };
    payment.refunds.push(refunded);
    return dataResponse({ refundOrder: { __typename: 'Refund', ...refunded } });
  }

  function call({ body }: WireRequest): WireResponse {
    const { query, variables = {} } = body as { query: string; variables?: QueryVariables };
    if (query.includes('refundOrder') && variables.input) return refund(variables.input);
    if (variables.options) return list(variables.options);
    if (query.includes('activeChannel')) {
      return dataResponse({
        activeChannel: { id: '1', code: '__default_channel__' },
        orders: { totalItems: 40 },
      });
    }
    if (variables.id === undefined) return dataResponse({ globalSettings });
    return dataResponse({ globalSettings, order: orders.find(({ id }) => id === variables.id) ?? null });
  }

  const asksForSettingsAlone = ({ body }: WireRequest) => {
    const { query } = body as { query: string };
    return query.includes('globalSettings') && !query.includes('order');
  };
  const world = await startSimulator({
    account: { id: '', username: null, name: null, avatarUrl: null, url: null },
    simulator: {
      respondAs: (request, owner) =>
        owner === 'owner' || (owner === 'weak' && asksForSettingsAlone(request)) ? call(request) : FORBIDDEN,
    },
    owner: 'owner',
    weakOwner: 'weak',
    effects: () => created,
    textOf: () => '',
  });
  const id = `${new URL(world.baseUrl).host}/1`;
  // The settings with the number of decimals of an amount.
  return {
    ...world,
    // Read on 2026-11-23,
    // https://docs.vendure.io/current/framework/reference/typescript-api/auth/auth-options:
    // `apiKeyHeaderKey`, 'vendure-api-key' by default.
    keyLocations: { api_key: headerLocation('vendure-api-key') },
    account: { ...world.account, id },
    omitsTaxInclusion: true,
    readsBeforeRefund: 1,
    // Nullable in the schema: an order that does not exist, and a refund by another client.
    omittedFields: ['data.order', 'data.order.payments.*.refunds.*.reason'],
    // Of the order and of the payment, not of the refund.
    unrelatedStates: ['data.order.state', 'data.order.payments.*.state'],
  };
}

function fits(value: string | null, requested: FieldFilter): boolean {
  if (requested.isNull === false && value === null) return false;
  const text = value ?? '';
  return (
    (requested.after === undefined || text > requested.after) &&
    (requested.before === undefined || text < requested.before) &&
    (requested.eq === undefined || text === requested.eq) &&
    (requested.in === undefined || requested.in.includes(text)) &&
    (requested.notIn === undefined || !requested.notIn.includes(text))
  );
}
