import { ok, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import type { z } from 'zod';
import { askStore } from './ask-store.js';
import { searchCriteria } from './search.js';
import {
  INVOICE_PAID,
  invoiceList,
  MEMO_CANCELED,
  memoList,
  order,
  type WireInvoice,
  type WireMemo,
  type WireOrder,
} from './wire.js';

/** An order with what was asked of its money and what was given back. */
export interface Documents {
  readonly order: WireOrder;
  /** Those that were paid. */
  readonly invoices: readonly WireInvoice[];
  readonly memos: readonly WireMemo[];
}

type Answered<Value> = Answer<Value>;

/** Of as many orders as a page has: two lists for all of them. */
export async function withDocuments(
  session: Session,
  orders: readonly WireOrder[],
): Answered<readonly Documents[]> {
  if (orders.length === 0) return ok([]);
  const ids = orders.map(({ entity_id: id }) => id);
  const [invoices, memos] = await Promise.all([
    all(session, '/invoices', ids, invoiceList),
    all(session, '/creditmemos', ids, memoList),
  ]);
  if (!invoices.ok) return invoices;
  if (!memos.ok) return memos;
  return ok(
    orders.map((one) => ({
      order: one,
      invoices: invoices.value.filter(
        ({ order_id: id, state }) => id === one.entity_id && state === INVOICE_PAID,
      ),
      memos: memos.value.filter(({ order_id: id }) => id === one.entity_id),
    })),
  );
}

/** Null: there is no such order. */
export async function readDocuments(session: Session, id: string): Answered<Documents | null> {
  const found = await askStore(
    session,
    { method: 'GET', path: `/orders/${encodeURIComponent(id)}`, effect: 'read' },
    order,
    // What is no number is refused as one, and is no order either.
    (_, status) => (status === 404 || !/^\d+$/.test(id) ? ok(null) : undefined),
  );
  if (!found.ok || found.value === null) return found.ok ? ok(null) : found;
  const read = await withDocuments(session, [found.value]);
  return read.ok ? ok(read.value[0] ?? null) : read;
}

export const memosOf = (session: Session, orderId: string): Answered<readonly WireMemo[]> =>
  all(session, '/creditmemos', [orderId], memoList);

/** Of those that count, the memos of an invoice. */
export const memosOn = (memos: readonly WireMemo[], invoiceId: string): readonly WireMemo[] =>
  memos.filter(({ invoice_id: id, state }) => id === invoiceId && state !== MEMO_CANCELED);

const PAGE = 100;

/** Every document of these orders, page after page from the last one seen. */
async function all<Row extends { readonly entity_id: string }>(
  session: Session,
  path: string,
  orderIds: readonly string[],
  schema: z.ZodType<{ items: Row[]; total_count: number }>,
): Answered<readonly Row[]> {
  const found: Row[] = [];
  for (;;) {
    const last = found.at(-1)?.entity_id;
    const query = searchCriteria(
      [
        [{ field: 'order_id', condition: 'in', value: orderIds.join(',') }],
        ...(last === undefined ? [] : [[{ field: 'entity_id', condition: 'gt', value: last } as const]]),
      ],
      [['entity_id', 'ASC']],
      PAGE,
    );
    const page = await askStore(session, { method: 'GET', path, query, effect: 'read' }, schema);
    if (!page.ok) return page;
    const { items, total_count: total } = page.value;
    found.push(...items);
    if (items.length === 0 || items.length >= total) return ok(found);
  }
}
