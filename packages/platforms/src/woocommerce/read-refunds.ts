import { ok, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { readableRows } from '@switchboard/platform-kit/readable-rows';
import {
  gateway,
  PLACES,
  refund,
  refundList,
  requestJson,
  rowList,
  type WireOrder,
  type WireRefund,
} from './wire.js';

export const API = '/wp-json/wc/v3';
const PAGE = 100;
const PAGES_MAX = 10;
const REFUNDS_BYTES_MAX = 8 * 1024 * 1024;

type ReadResult<Value> = AdapterResult<Value>;

/** Every refund of one order, including those of other clients. */
export async function refundsOf(session: Session, orderId: string): ReadResult<readonly WireRefund[]> {
  const found: WireRefund[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const listed = await requestJson(
      session,
      {
        path: `${API}/orders/${encodeURIComponent(orderId)}/refunds`,
        query: { per_page: PAGE, page, dp: PLACES },
        maxBytes: REFUNDS_BYTES_MAX,
      },
      refundList,
    );
    if (!listed.ok) return listed;
    found.push(...listed.value);
    if (listed.value.length < PAGE) break;
  }
  return ok(found);
}

/** The refunds of many orders at once; stores before 9.0 are queried order by order. */
export async function refundsOfAll(
  session: Session,
  orders: readonly WireOrder[],
): ReadResult<ReadonlyMap<string, readonly WireRefund[]>> {
  const refunded = orders.filter(({ refunds }) => refunds.length > 0);
  const ids = refunded.flatMap(({ refunds }) => refunds.map(({ id }) => id));
  const byId = new Map<string, WireRefund>();
  for (let at = 0; at < ids.length; at += PAGE) {
    const listed = await requestJson(
      session,
      {
        path: `${API}/refunds`,
        query: { include: ids.slice(at, at + PAGE).join(','), per_page: PAGE, dp: PLACES },
        maxBytes: REFUNDS_BYTES_MAX,
      },
      rowList,
      (words) => (words.code === 'rest_no_route' ? ok(null) : undefined),
    );
    if (!listed.ok) return listed;
    if (listed.value === null) return listPerOrder(session, refunded);
    for (const one of readableRows(listed.value, refund).rows) byId.set(one.id, one);
  }
  // A refund that an order names and no list contained would count as zero: it is requested separately.
  const [whole, lacking] = [refunded.filter(isWhole), refunded.filter((order) => !isWhole(order))];
  const alone = await listPerOrder(session, lacking);
  if (!alone.ok) return alone;
  return ok(
    new Map([
      ...whole.map(({ id, refunds }) => [id, refunds.flatMap((one) => byId.get(one.id) ?? [])] as const),
      ...alone.value,
    ]),
  );

  function isWhole({ refunds }: WireOrder): boolean {
    return refunds.every(({ id }) => byId.has(id));
  }
}

/** Whether every refund that the order names is present. */
export const hasAllRefunds = ({ refunds }: WireOrder, read: readonly WireRefund[]): boolean =>
  refunds.every(({ id }) => read.some((one) => one.id === id));

async function listPerOrder(
  session: Session,
  orders: readonly WireOrder[],
): ReadResult<ReadonlyMap<string, readonly WireRefund[]>> {
  const all = await Promise.all(orders.map(({ id }) => refundsOf(session, id)));
  const read = new Map<string, readonly WireRefund[]>();
  for (const [at, { id }] of orders.entries()) {
    const one = all[at];
    if (one?.ok) read.set(id, one.value);
    // If a refund of an order cannot be read, none of them is returned: the order then lacks what it names.
    else if (one && one.failure.code !== 'platform.invalid_response') return one;
  }
  return ok(read);
}

/** The gateways that can send money back; none for keys that may not see them. */
export async function onlineGateways(session: Session): ReadResult<ReadonlySet<string>> {
  const listed = await requestJson(
    session,
    { path: `${API}/payment_gateways`, query: { _fields: 'id,method_supports' } },
    rowList,
    (_words, { status }) => (status === 403 ? ok([]) : undefined),
  );
  if (!listed.ok) return listed;
  const able = readableRows(listed.value, gateway).rows.filter(({ method_supports: supports }) =>
    supports?.includes('refunds'),
  );
  return ok(new Set(able.map(({ id }) => id)));
}
