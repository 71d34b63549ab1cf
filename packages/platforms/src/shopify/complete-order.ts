import { ok, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { ask } from './ask.js';
import { FIRST } from './documents.js';
import { globalId } from './ids.js';
import { asked, type WireOrder } from './wire.js';

/** The order with what did not come with it: few have so much that they are asked for again. */
export async function completed(session: Session, order: WireOrder): Answer<WireOrder> {
  let whole = order;
  const id = globalId('Order', order.id);
  for (let at = whole.lineItems; at.pageInfo.hasNextPage;) {
    const more = await ask(session, asked.lines, { id, after: at.pageInfo.endCursor });
    if (!more.ok) return more;
    if (!more.value.order) break;
    at = more.value.order.lineItems;
    whole = { ...whole, lineItems: { ...at, nodes: [...whole.lineItems.nodes, ...at.nodes] } };
  }
  if (whole.shippingLines.pageInfo.hasNextPage) {
    const all = await ask(session, asked.shippingLines, { id });
    if (!all.ok) return all;
    whole = { ...whole, ...all.value.order };
  }
  // These lists have no pages: one that is as long as was asked for may be longer.
  if (whole.transactions.length >= FIRST.transactions || whole.refunds.length >= FIRST.refunds) {
    const all = await ask(session, asked.moneyMoved, { id });
    if (!all.ok) return all;
    whole = { ...whole, ...all.value.order };
  }
  return ok(whole);
}
