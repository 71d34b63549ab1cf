import { asObject, type JsonObject } from '../support/json.js';
import { createUnknownId } from '../support/world-ids.js';
import { PICKS, type IdPlaceholder } from './value-arbitrary.js';

const KEPT = 12;
const ID = /\b(?:prf|con|cns|pst|dlv|med|ord|quo|rfd|key)_[\w-]{20,}/g;
/** Of `PICKS`: those that belong together, the newest, invented ones, and IDs of another kind. */
const MAINTAINED = 500;
const EXISTING = 850;
const INVENTED = 930;

/** A page that a cursor continues. */
export interface KnownCursor {
  readonly cursor: string;
  readonly query: JsonObject;
}

/** A request that was sent with an idempotency key. */
export interface KeyedRequest<Request> {
  readonly key: string;
  readonly request: Request;
}

/** What earlier responses contained: the newest values of every kind. */
export interface KnownValues<Request> {
  /** Reads the IDs of a response. */
  addFrom(text: string): void;
  add(kind: string, value: string): void;
  /** Sets the IDs that are picked most often: they exist, and belong to each other. */
  maintain(kind: string, values: readonly string[]): void;
  list(kind: string): readonly string[];
  fill(placeholder: IdPlaceholder): string;
  readonly etags: Map<string, string>;
  readonly cursors: Map<string, KnownCursor>;
  readonly keyed: Map<string, KeyedRequest<Request>>;
}

/** `excluded` are IDs that no request may name, such as that of the key in use. */
export function knownValues<Request>(
  platforms: readonly string[],
  excluded: ReadonlySet<string>,
): KnownValues<Request> {
  const byKind = new Map<string, string[]>([['platform', [...platforms]]]);
  const maintained = new Map<string, readonly string[]>();
  const list = (kind: string) => byKind.get(kind) ?? [];
  const add = (kind: string, value: string) => {
    if (excluded.has(value) || list(kind).includes(value)) return;
    byKind.set(kind, [...list(kind), value].slice(-KEPT));
  };
  const kinds = () => [...byKind.keys()].filter((kind) => list(kind).length > 0 && kind !== 'secret');
  return {
    add,
    list,
    addFrom(text) {
      for (const [id] of text.matchAll(ID)) add(id.slice(0, 3), id);
    },
    maintain: (kind, values) => void maintained.set(kind, values),
    fill({ $id, pick }) {
      const newest = list($id);
      const chosen = (pick < MAINTAINED ? maintained.get($id) : undefined) ?? newest;
      const one = chosen[pick % Math.max(chosen.length, 1)];
      if (one !== undefined && pick < EXISTING) return one;
      const other = kinds()[pick % kinds().length] ?? $id;
      if (pick >= INVENTED && pick < PICKS) return list(other)[0] ?? createUnknownId(`${$id}_`);
      return createUnknownId(one ?? `${$id}_${'0'.repeat(26)}`);
    },
    etags: new Map(),
    cursors: new Map(),
    keyed: new Map(),
  };
}

/** A copy of a JSON value with every placeholder replaced. */
export function fillPlaceholders(value: unknown, fill: (placeholder: IdPlaceholder) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => fillPlaceholders(one, fill));
  if (typeof value !== 'object' || value === null) return value;
  if ('$id' in value && 'pick' in value) return fill(value as unknown as IdPlaceholder);
  return Object.fromEntries(
    Object.entries(asObject(value)).map(([name, one]) => [name, fillPlaceholders(one, fill)]),
  );
}
