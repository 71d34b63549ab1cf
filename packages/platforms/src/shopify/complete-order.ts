import { ok } from '@switchboard/domain';
import type { Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { requestGraphql } from './client.js';
import { PAGE_SIZES } from './documents.js';
import { globalId } from './ids.js';
import { queries, type WireOrder } from './wire.js';

/** The order with its missing parts: few orders have so many that another request is needed. */
export async function completeOrder(session: Session, order: WireOrder): AdapterResult<WireOrder> {
  let whole = order;
  const id = globalId('Order', order.id);
  for (let at = whole.lineItems; at.pageInfo.hasNextPage;) {
    const more = await requestGraphql(session, queries.lines, { id, after: at.pageInfo.endCursor });
    if (!more.ok) return more;
    if (!more.value.order) break;
    at = more.value.order.lineItems;
    whole = { ...whole, lineItems: { ...at, nodes: [...whole.lineItems.nodes, ...at.nodes] } };
  }
  if (whole.shippingLines.pageInfo.hasNextPage) {
    const all = await requestGraphql(session, queries.shippingLines, { id });
    if (!all.ok) return all;
    whole = { ...whole, ...all.value.order };
  }
  // These lists have no pages: a list of the requested length may be incomplete.
  if (whole.transactions.length >= PAGE_SIZES.transactions || whole.refunds.length >= PAGE_SIZES.refunds) {
    const all = await requestGraphql(session, queries.moneyMoved, { id });
    if (!all.ok) return all;
    whole = { ...whole, ...all.value.order };
  }
  return ok(whole);
}
