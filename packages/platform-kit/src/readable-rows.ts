import type { OrderNoteCode } from '@switchboard/domain';
import type { z } from 'zod';
import { parseResponse } from './parse-response.js';

/**
 * The note of a list of orders that omits some: the store returned orders of which this version cannot read a
 * required field. The list is marked as incomplete; reading such an order by its ID is
 * `platform.invalid_response`.
 */
const ORDERS_UNREADABLE = 'orders.unreadable';

interface ReadableRows<Row> {
  readonly rows: readonly Row[];
  /** For the list's `notes`: names the missing rows; empty if none is missing. */
  readonly notes: readonly OrderNoteCode[];
}

/**
 * The rows of a list that match the platform's schema. A row that does not is omitted, so that it does not
 * fail the others.
 */
export function readableRows<Row>(rows: readonly unknown[], schema: z.ZodType<Row>): ReadableRows<Row> {
  const read = rows.map((row) => parseResponse(schema, row));
  return {
    rows: read.flatMap(({ data }) => (data === undefined ? [] : [data])),
    notes: unreadableNotes(read.some(({ success }) => !success)),
  };
}

/** The same for adapters that decide themselves which rows count. */
export const unreadableNotes = (isAnyMissing: boolean): readonly OrderNoteCode[] =>
  isAnyMissing ? [ORDERS_UNREADABLE] : [];
