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

/** An enabled fault. */
export type Fault = Omit<FaultSpec, 'match' | 'times' | 'after'> & {
  readonly id: string;
  readonly match: Omit<NonNullable<FaultSpec['match']>, 'token'> & {
    readonly token_hash?: string | undefined;
  };
  readonly remaining: number | null;
  readonly after: number;
};

interface FaultTarget {
  readonly platform: PlatformName;
  readonly method: string;
  readonly path: string;
  readonly account: string | null;
  readonly tokenHash: string | null;
  /** As JSON; empty without a body. */
  readonly body: string;
}

export function createFaults() {
  let faults: Fault[] = [];
  let created = 0;
  const replace = (fault: Fault, next: Fault) => {
    faults = faults.map((known) => (known === fault ? next : known)).filter((known) => known.remaining !== 0);
  };
  return {
    add({ match: { token, ...match } = {}, times = 1, after = 0, ...spec }: FaultSpec): Fault {
      const token_hash = token === undefined ? undefined : hashOf(token);
      const id = `flt_${++created}`;
      const fault: Fault = { ...spec, id, match: { ...match, token_hash }, remaining: times, after };
      faults = [...faults, fault];
      return fault;
    },
    list: (): readonly Fault[] => [...faults],
    /** Removes all faults, or the one with this ID; returns whether there was any. */
    clear(id?: string): boolean {
      const stored = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
      const any = stored.length < faults.length;
      faults = stored;
      return any;
    },
    /** Returns the oldest matching fault and consumes one use of it. */
    take(occasion: FaultTarget): Fault | undefined {
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
export type Faults = ReturnType<typeof createFaults>;

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
