import { ok, type Session } from '@switchboard/platform-kit';
import { parseResponse } from '@switchboard/platform-kit/parse-response';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { z } from 'zod';
import { requestStore } from './client.js';
import { searchCriteria } from './search.js';
import {
  errorMapping,
  documentList,
  invoice,
  INVOICE_PAID,
  memo,
  MEMO_CANCELED,
  order,
  shipment,
  type WireInvoice,
  type WireMemo,
  type WireOrder,
  type WireShipment,
} from './wire.js';

/** An order with its invoices, credit memos and shipments. */
export interface OrderDocuments {
  readonly order: WireOrder;
  /** The paid invoices. */
  readonly invoices: readonly WireInvoice[];
  readonly memos: readonly WireMemo[];
  /** Null if the integration may not read them, or the store did not return them. */
  readonly shipments: readonly WireShipment[] | null;
}

type DocumentResult<Value> = AdapterResult<Value>;

/**
 * For the orders of one page: two lists for all of them, and one of the shipments of those with any. Null: an
 * invoice or a credit memo of the order cannot be read.
 */
export async function fetchDocuments(
  session: Session,
  orders: readonly WireOrder[],
): DocumentResult<readonly (OrderDocuments | null)[]> {
  if (orders.length === 0) return ok([]);
  const ids = orders.map(({ entity_id: id }) => id);
  const shipped = orders.filter(({ items }) => items.some(({ qty_shipped: units }) => units > 0n));
  const [invoices, memos, shipments] = await Promise.all([
    listDocuments(session, '/invoices', ids, invoice),
    listDocuments(session, '/creditmemos', ids, memo),
    shipped.length === 0
      ? ok([])
      : listDocuments(
          session,
          '/shipments',
          shipped.map(({ entity_id: id }) => id),
          shipment,
        ),
  ]);
  if (!invoices.ok) return invoices;
  if (!memos.ok) return memos;
  return ok(
    orders.map((one) => {
      const ownInvoices = rowsOf(invoices.value, one.entity_id);
      const ownMemos = rowsOf(memos.value, one.entity_id);
      return (
        ownInvoices &&
        ownMemos && {
          order: one,
          invoices: ownInvoices.filter(({ state }) => state === INVOICE_PAID),
          memos: ownMemos,
          shipments: shipments.ok ? rowsOf(shipments.value, one.entity_id) : null,
        }
      );
    }),
  );
}

/** The documents of one order; null if one of them cannot be read. */
function rowsOf<Row>(documents: readonly ListedDocument<Row>[], orderId: string): readonly Row[] | null {
  const own = documents.filter((one) => one.orderId === orderId);
  return own.some(({ row }) => row === null) ? null : own.flatMap(({ row }) => row ?? []);
}

/** Null: the order does not exist. */
export async function readDocuments(session: Session, id: string): DocumentResult<OrderDocuments | null> {
  const found = await requestStore(
    session,
    `/orders/${encodeURIComponent(id)}`,
    order,
    // Magento rejects an ID that is not a number with an error; no such order exists either.
    (_, status) => (status === 404 || !/^\d+$/.test(id) ? ok(null) : undefined),
  );
  if (!found.ok || found.value === null) return found.ok ? ok(null) : found;
  const read = await fetchDocuments(session, [found.value]);
  if (!read.ok) return read;
  return read.value[0] ? ok(read.value[0]) : unreadableResponse(errorMapping, 'read');
}

export async function listMemos(session: Session, orderId: string): DocumentResult<readonly WireMemo[]> {
  const listed = await listDocuments(session, '/creditmemos', [orderId], memo);
  if (!listed.ok) return listed;
  const own = rowsOf(listed.value, orderId);
  return own ? ok(own) : unreadableResponse(errorMapping, 'read');
}

/** The effective credit memos of an invoice. */
export const memosOn = (memos: readonly WireMemo[], invoiceId: string): readonly WireMemo[] =>
  memos.filter(({ invoice_id: id, state }) => id === invoiceId && state !== MEMO_CANCELED);

const PAGE = 100;

interface ListedDocument<Row> {
  readonly orderId: string;
  /** Null if it cannot be read. */
  readonly row: Row | null;
}

/** Every document of these orders, paged by the last ID seen. */
async function listDocuments<Row>(
  session: Session,
  path: string,
  orderIds: readonly string[],
  schema: z.ZodType<Row>,
): DocumentResult<readonly ListedDocument<Row>[]> {
  const found: ListedDocument<Row>[] = [];
  let last: string | undefined;
  for (;;) {
    const query = searchCriteria(
      [
        [{ field: 'order_id', condition: 'in', value: orderIds.join(',') }],
        ...(last === undefined ? [] : [[{ field: 'entity_id', condition: 'gt', value: last } as const]]),
      ],
      [['entity_id', 'ASC']],
      PAGE,
    );
    const page = await requestStore(session, { path, query }, documentList);
    if (!page.ok) return page;
    const { items, total_count: total } = page.value;
    last = items.at(-1)?.entity_id;
    // The validated IDs are strings here and numbers in the documents.
    for (const item of items) {
      const asWritten = { ...item, entity_id: Number(item.entity_id), order_id: Number(item.order_id) };
      found.push({ orderId: item.order_id, row: parseResponse(schema, asWritten).data ?? null });
    }
    if (items.length === 0 || items.length >= total) return ok(found);
  }
}
