import type { Connection } from '../connections/connection.js';
import { refuse } from '../failure.js';
import type { OrderNoteCode } from '../reason-codes.js';
import { ok, type Result } from '../result.js';
import { decodeOrdersCursor, connectionKey } from './order-cursor.js';
import { startCursor, type StoreCursor } from './store-cursor.js';

/** A traversal of several stores: those that still return orders, and the state of the others. */
export interface OrderTraversal {
  readonly live: readonly { readonly connection: Connection; readonly from: StoreCursor }[];
  readonly done: readonly { readonly connection: Connection; readonly notes: readonly OrderNoteCode[] }[];
  readonly failed: readonly { readonly connection: Connection; readonly code: string }[];
  readonly pageSize: number;
}

export const beginTraversal = (stores: readonly Connection[], pageSize: number): OrderTraversal => ({
  live: stores.map((connection) => ({ connection, from: startCursor })),
  done: [],
  failed: [],
  pageSize,
});

/** A store connected since then is not part of it, and a disconnected one no longer is. */
export function resumeTraversal(
  opened: Result<string, 'request.invalid_cursor'>,
  stores: readonly Connection[],
): Result<OrderTraversal, 'request.invalid_cursor'> {
  if (!opened.ok) return opened;
  const position = decodeOrdersCursor(opened.value);
  if (!position)
    return refuse(
      'request.invalid_cursor',
      'The cursor was created by another version. Start the list again.',
    );
  const pairWithStores = <Value>(map: ReadonlyMap<string, Value>) =>
    stores.flatMap((connection) => {
      const value = map.get(connectionKey(connection.id));
      return value === undefined ? [] : [{ connection, value }];
    });
  return ok({
    live: pairWithStores(position.live).map(({ connection, value }) => ({ connection, from: value })),
    done: pairWithStores(position.done).map(({ connection, value }) => ({ connection, notes: value })),
    failed: pairWithStores(position.failed).map(({ connection, value }) => ({ connection, code: value })),
    pageSize: position.pageSize,
  });
}
