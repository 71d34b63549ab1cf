import type { ConnectionId } from '../ids.js';
import type { StorePosition } from './store-position.js';

/** Where a traversal of many stores stands. Stores that it does not name are not part of it. */
export interface OrdersPosition {
  /** The size of the stores' pages, kept since some page tokens are mere numbers. */
  readonly pageSize: number;
  readonly live: ReadonlyMap<string, StorePosition>;
  /** Read to the end, with the notes it gave. */
  readonly done: ReadonlyMap<string, readonly string[]>;
  /** Left the traversal, with the failure's code. */
  readonly failed: ReadonlyMap<string, string>;
}

/** A connection in a cursor: the end of its id, 50 random bits, which no two connections of a workspace share. */
export const sourceKey = (id: ConnectionId): string => id.slice(-10);

type LiveRow = readonly [string, (string | null)?, string?, ...string[]];
interface Compact {
  readonly v: 1;
  readonly p: number;
  readonly l: readonly LiveRow[];
  readonly d: readonly (readonly [string, ...string[]])[];
  readonly f: readonly (readonly [string, string])[];
  readonly n?: readonly (readonly [string, ...string[]])[];
  readonly b?: readonly (readonly [string, string])[];
}

/** As short as it can be said: a cursor goes into a query string. */
export function writePosition({ pageSize, live, done, failed }: OrdersPosition): string {
  const noted = [...live].filter(([, { notes }]) => notes.length > 0);
  const bound = [...live].flatMap(([key, { boundMs }]) =>
    boundMs === null ? [] : [[key, boundMs] as const],
  );
  const compact: Compact = {
    v: 1,
    p: pageSize,
    l: [...live].map(([key, { token, given }]): LiveRow => {
      if (given !== null) return [key, token, given.timeMs.toString(36), ...(given.externalIds ?? [])];
      return token === null ? [key] : [key, token];
    }),
    d: [...done].map(([key, notes]) => [key, ...notes] as const),
    f: [...failed],
    ...(noted.length > 0 && { n: noted.map(([key, { notes }]) => [key, ...notes] as const) }),
    ...(bound.length > 0 && { b: bound.map(([key, timeMs]) => [key, timeMs.toString(36)] as const) }),
  };
  return JSON.stringify(compact);
}

/** Null for a position of another version of this program. Only authenticated text comes here. */
export function readPosition(text: string): OrdersPosition | null {
  const compact = JSON.parse(text) as Compact;
  if ((compact.v as number) !== 1) return null;
  const notes = new Map(compact.n?.map(([key, ...those]) => [key, those]));
  const bounds = new Map(compact.b?.map(([key, time]) => [key, parseInt(time, 36)]));
  return {
    pageSize: compact.p,
    live: new Map(
      compact.l.map(([key, token = null, time, ...ids]): [string, StorePosition] => [
        key,
        {
          token,
          given:
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
