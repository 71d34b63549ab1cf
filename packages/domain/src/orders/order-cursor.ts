import type { ConnectionId } from '../ids.js';
import type { OrderNoteCode } from '../reason-codes.js';
import type { StoreCursor } from './store-cursor.js';

/** The position of a traversal of several stores. Stores that it does not name are not part of it. */
interface OrdersCursor {
  /** The page size of the stores, kept because some page tokens are plain page numbers. */
  readonly pageSize: number;
  readonly live: ReadonlyMap<string, StoreCursor>;
  /** Stores read to the end, with their notes. */
  readonly done: ReadonlyMap<string, readonly OrderNoteCode[]>;
  /** Stores that left the traversal, with the failure code. */
  readonly failed: ReadonlyMap<string, string>;
}

/**
 * The key of a connection in a cursor: the end of its id, 50 random bits, which no two connections of a
 * workspace share.
 */
export const connectionKey = (id: ConnectionId): string => id.slice(-10);

type EncodedStore = readonly [string, (string | null)?, string?, ...string[]];
interface EncodedCursor {
  readonly v: 1;
  readonly p: number;
  readonly l: readonly EncodedStore[];
  readonly d: readonly (readonly [string, ...OrderNoteCode[]])[];
  readonly f: readonly (readonly [string, string])[];
  readonly n?: readonly (readonly [string, ...OrderNoteCode[]])[];
  readonly b?: readonly (readonly [string, string])[];
}

/** As compact as possible: a cursor is sent in a query string. */
export function encodeOrdersCursor({ pageSize, live, done, failed }: OrdersCursor): string {
  const withNotes = [...live].filter(([, { notes }]) => notes.length > 0);
  const bound = [...live].flatMap(([key, { boundMs }]) =>
    boundMs === null ? [] : [[key, boundMs] as const],
  );
  const compact: EncodedCursor = {
    v: 1,
    p: pageSize,
    l: [...live].map(([key, { token, lastListed }]): EncodedStore => {
      if (lastListed !== null)
        return [key, token, lastListed.timeMs.toString(36), ...(lastListed.externalIds ?? [])];
      return token === null ? [key] : [key, token];
    }),
    d: [...done].map(([key, notes]) => [key, ...notes] as const),
    f: [...failed],
    ...(withNotes.length > 0 && { n: withNotes.map(([key, { notes }]) => [key, ...notes] as const) }),
    ...(bound.length > 0 && { b: bound.map(([key, timeMs]) => [key, timeMs.toString(36)] as const) }),
  };
  return JSON.stringify(compact);
}

/** Null for a cursor of another version of this service. The text is already authenticated. */
export function decodeOrdersCursor(text: string): OrdersCursor | null {
  const compact = JSON.parse(text) as EncodedCursor;
  if ((compact.v as number) !== 1) return null;
  const notes = new Map(compact.n?.map(([key, ...those]) => [key, those]));
  const bounds = new Map(compact.b?.map(([key, time]) => [key, parseInt(time, 36)]));
  return {
    pageSize: compact.p,
    live: new Map(
      compact.l.map(([key, token = null, time, ...ids]): [string, StoreCursor] => [
        key,
        {
          token,
          lastListed:
            time === undefined
              ? null
              : { timeMs: parseInt(time, 36), externalIds: ids.length === 0 ? null : ids },
          boundMs: bounds.get(key) ?? null,
          notes: notes.get(key) ?? [],
        },
      ]),
    ),
    done: new Map(compact.d.map(([key, ...notes]) => [key, notes])),
    failed: new Map(compact.f),
  };
}
