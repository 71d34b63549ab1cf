import { ok, type Session } from '@switchboard/platform-kit';
import {
  nullIfNotFound,
  unreadableResponse,
  type AdapterResult,
} from '@switchboard/platform-kit/platform-client';
import { withTransactions } from './transactions.js';
import {
  errorMapping,
  order,
  ORDER_PARTS,
  refund,
  refundList,
  requestJson,
  type WireOrder,
  type WireRefund,
  withEmptyBodyAs,
} from './wire.js';

/** An order with its refunds, which v2 does not include: its `refunded_amount` is always 0. */
export interface StoredOrder {
  readonly order: WireOrder;
  readonly refunds: readonly WireRefund[];
}

const REFUNDS_MAX = 250;
const REFUND_PAGES_MAX = 20;

export const orderPath = (externalId: string) => `/v2/orders/${encodeURIComponent(externalId)}`;
export const actionsPath = (externalId: string) =>
  `/v3/orders/${encodeURIComponent(externalId)}/payment_actions`;

export async function findOrder(session: Session, externalId: string): AdapterResult<StoredOrder | null> {
  const found = await requestJson(
    session,
    { path: orderPath(externalId), query: ORDER_PARTS },
    order,
    nullIfNotFound,
  );
  if (!found.ok) return found;
  if (found.value === null) return ok(null);
  const listed = await listRefundsOf(session, found.value.id);
  if (!listed.ok) return listed;
  const refunds = await withTransactions(session, found.value.id, listed.value);
  return refunds.ok ? ok({ order: found.value, refunds: refunds.value }) : refunds;
}

/** All refunds of one order, all of which must be readable. */
export async function listRefundsOf(
  session: Session,
  externalId: string,
): AdapterResult<readonly WireRefund[]> {
  const listed = await listRefunds(session, [externalId]);
  if (!listed.ok) return listed;
  return listed.value.some(({ wire }) => wire === null)
    ? unreadableResponse(errorMapping, 'read')
    : ok(listed.value.flatMap(({ wire }) => wire ?? []));
}

/** A refund, null if it cannot be read: then the remainder of its order is unknown. */
interface ListedRefund {
  readonly orderId: string;
  readonly wire: WireRefund | null;
}

/**
 * All refunds of some orders, in one request if there are none. The maximum page size is undocumented, so the
 * end is a page without new refunds: a missed one would allow money to be refunded twice.
 */
export async function listRefunds(
  session: Session,
  externalIds: readonly string[],
): AdapterResult<readonly ListedRefund[]> {
  const found = new Map<string, ListedRefund>();
  if (externalIds.length === 0) return ok([]);
  for (let page = 1; page <= REFUND_PAGES_MAX; page++) {
    const listed = await requestJson(
      withEmptyBodyAs(session, { data: [] }),
      {
        path: '/v3/orders/payment_actions/refunds',
        query: { 'order_id:in': externalIds.join(','), limit: REFUNDS_MAX, page },
      },
      refundList,
    );
    if (!listed.ok) return listed;
    const fresh = listed.value.data.filter(({ id }) => !found.has(id));
    if (fresh.length === 0) return ok([...found.values()]);
    for (const row of fresh) {
      found.set(row.id, { orderId: row.order_id, wire: refund.safeParse(row).data ?? null });
    }
  }
  return unreadableResponse(errorMapping, 'read');
}
