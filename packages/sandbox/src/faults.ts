import { createHash } from 'node:crypto';
import type { PlatformName } from './world.js';

/** Every kind of fault. `before` and `after` refer to the effect, which the caller cannot observe. */
export const FAULT_KINDS = [
  'delay',
  'hang',
  'hang-after-effect',
  'reset-before-effect',
  'reset-after-effect',
  '500-before',
  '500-after',
  '2xx-truncated',
  '2xx-no-id',
  '429',
  '403',
  'garbage',
  'slow-drip',
  'huge',
  'redirect',
  'strange-words',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Named as on the wire; the README documents each field. */
export interface FaultSpec {
  readonly platform: PlatformName;
  readonly kind: FaultKind;
  readonly match?: {
    readonly method?: string | undefined;
    readonly path_prefix?: string | undefined;
    readonly account?: string | undefined;
    /** The bearer token itself; only its hash is stored. */
    readonly token?: string | undefined;
    /** A text that the JSON body contains anywhere: selects one post among many. */
    readonly body?: string | undefined;
  };
  /** The number of requests that it applies to; `null` until cleared. */
  readonly times?: number | null | undefined;
  /** The number of matching requests to skip first. */
  readonly after?: number | undefined;
  readonly delay_ms?: number | undefined;
  readonly retry_after?: number | undefined;
  readonly status?: number | undefined;
  readonly location?: string | undefined;
  readonly words?: string | undefined;
}

export interface Fault {
  readonly id: string;
  readonly platform: PlatformName;
  readonly kind: FaultKind;
  readonly match: {
    readonly method?: string;
    readonly path_prefix?: string;
    readonly account?: string;
    readonly token_hash?: string;
    readonly body?: string;
  };
  readonly remaining: number | null;
  readonly after: number;
  readonly delay_ms?: number;
  readonly retry_after?: number;
  readonly status?: number;
  readonly location?: string;
  readonly words?: string;
}

export interface FaultTarget {
  readonly platform: PlatformName;
  readonly method: string;
  readonly path: string;
  readonly account: string | null;
  readonly tokenHash: string | null;
  /** As JSON; empty without a body. */
  readonly body: string;
}

export interface Faults {
  add(order: FaultSpec): Fault;
  list(): Fault[];
  /** Removes all faults, or the one with this ID; returns whether there was any. */
  clear(id?: string): boolean;
  /** Returns the oldest matching fault and consumes one use of it. */
  take(occasion: FaultTarget): Fault | undefined;
}

export function createFaults(): Faults {
  let faults: Fault[] = [];
  let created = 0;
  const replace = (fault: Fault, next: Fault) => {
    faults = faults.map((known) => (known === fault ? next : known)).filter((known) => known.remaining !== 0);
  };
  return {
    add(order) {
      const { token, ...match } = order.match ?? {};
      const fault: Fault = {
        id: `flt_${++created}`,
        platform: order.platform,
        kind: order.kind,
        match: { ...omitUndefined(match), ...(token === undefined ? {} : { token_hash: hashOf(token) }) },
        remaining: order.times === undefined ? 1 : order.times,
        after: order.after ?? 0,
        ...omitUndefined({
          delay_ms: order.delay_ms,
          retry_after: order.retry_after,
          status: order.status,
          location: order.location,
          words: order.words,
        }),
      };
      faults = [...faults, fault];
      return fault;
    },
    list: () => [...faults],
    clear(id) {
      const stored = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
      const any = stored.length < faults.length;
      faults = stored;
      return any;
    },
    take(occasion) {
      for (const fault of faults.filter((known) => matchesFault(known, occasion))) {
        if (fault.after > 0) {
          replace(fault, { ...fault, after: fault.after - 1 });
          continue;
        }
        replace(fault, { ...fault, remaining: fault.remaining === null ? null : fault.remaining - 1 });
        return fault;
      }
      return undefined;
    },
  };
}

/** The stored representation of a token that must be recognized again. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

function matchesFault({ platform, match }: Fault, occasion: FaultTarget): boolean {
  const shortPath = occasion.path.slice(`/${occasion.platform}`.length);
  const prefix = match.path_prefix ?? '';
  return (
    platform === occasion.platform &&
    (match.method === undefined || match.method.toUpperCase() === occasion.method) &&
    (occasion.path.startsWith(prefix) || shortPath.startsWith(prefix)) &&
    (match.account === undefined || match.account === occasion.account) &&
    (match.token_hash === undefined || match.token_hash === occasion.tokenHash) &&
    (match.body === undefined || occasion.body.includes(match.body))
  );
}

function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
