import type { NotificationListener } from '@switchboard/persistence';

/**
 * The maximum age of a result while changes are announced, and the longest time that a revocation stays
 * undetected when announcements fail silently.
 */
const TTL_MS = 4900;
/** The maximum age of a result while changes are not announced, and of a result for an unknown credential. */
const SHORT_TTL_MS = 900;
const KNOWN_MAX = 10_000;
const UNKNOWN_MAX = 1000;
/** The maximum number of ids in one statement. Looking up a thousand costs PostgreSQL a few milliseconds. */
const BATCH_MAX = 1000;

interface LookupSource<Found> {
  readonly findOne: (id: string) => Promise<Found | null>;
  /** In one statement; in the order of the ids. */
  readonly findAll: (ids: readonly string[]) => Promise<readonly (Found | null)[]>;
  /** Whether an announced change concerns a result; `found` is undefined until its query returns. */
  readonly isAffected: (id: string, found: Found | null | undefined, changed: string) => boolean;
}

interface Lookup<Found> {
  readonly result: Promise<Found | null>;
  /** The time before the query, so that a result is never older than its maximum age. -Infinity: outdated. */
  requestedMs: number;
  /** Undefined until the query returns. */
  found: Found | null | undefined;
}

/**
 * Caches lookups of credentials. An announced change outdates what it concerns, and a possible gap in the
 * announcements (null) outdates everything. `elapsedMs` is monotonic.
 *
 * Guessed credentials can neither displace nor delay existing ones: found ids are cached separately and
 * looked up at once; all others are looked up in batches, which use one connection however many there are and
 * reject none, so that a valid credential that is new to this process is found among any number of guesses.
 */
export function createLookupCache<Found>(
  source: LookupSource<Found>,
  notices: Pick<NotificationListener, 'state'>,
  elapsedMs: () => number,
) {
  const known = new Map<string, Lookup<Found>>();
  const unknown = new Map<string, Lookup<Found>>();
  const findUnknown = batchLookups(source);

  const isFresh = ({ requestedMs, found }: Lookup<Found>, nowMs: number) =>
    nowMs - requestedMs < (found !== null && notices.state() === 'listening' ? TTL_MS : SHORT_TTL_MS);

  return {
    outdate(changed: string | null): void {
      for (const [id, lookup] of known)
        if (changed === null || source.isAffected(id, lookup.found, changed)) lookup.requestedMs = -Infinity;
      for (const [id, lookup] of unknown)
        if (changed === null || source.isAffected(id, lookup.found, changed)) unknown.delete(id);
    },
    async find(id: string): Promise<Found | null> {
      const requestedMs = elapsedMs();
      const last = known.get(id) ?? unknown.get(id);
      if (last && isFresh(last, requestedMs)) return last.result;
      const isKnown = known.has(id);
      const result = isKnown ? source.findOne(id) : findUnknown(id);
      const lookup: Lookup<Found> = { result, requestedMs, found: undefined };
      if (isKnown) setEntry(known, id, lookup, KNOWN_MAX);
      else setEntry(unknown, id, lookup, UNKNOWN_MAX);
      const isLatest = () => (known.get(id) ?? unknown.get(id)) === lookup;
      try {
        const found = await result;
        lookup.found = found;
        if (!isLatest() || (found !== null) === isKnown) return found;
        known.delete(id);
        unknown.delete(id);
        if (found) setEntry(known, id, lookup, KNOWN_MAX);
        else setEntry(unknown, id, lookup, UNKNOWN_MAX);
        return found;
      } catch (error) {
        if (isLatest()) lookup.requestedMs = -Infinity;
        throw error;
      }
    },
  };
}

/** Adds or replaces an entry, and drops the oldest entries beyond `max`. */
function setEntry<Entry>(entries: Map<string, Entry>, id: string, entry: Entry, max: number): void {
  entries.delete(id);
  entries.set(id, entry);
  for (const oldest of entries.keys()) {
    if (entries.size <= max) break;
    entries.delete(oldest);
  }
}

interface PendingLookup<Found> {
  readonly id: string;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Looks up with at most one statement at a time; ids requested meanwhile share the next one. */
function batchLookups<Found>({ findAll }: Pick<LookupSource<Found>, 'findAll'>) {
  const waiting: PendingLookup<Found>[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_MAX);
      try {
        const found = await findAll(batch.map(({ id }) => id));
        batch.forEach(({ resolve }, at) => resolve(found[at] ?? null));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };
  return (id: string) =>
    new Promise<Found | null>((resolve, reject) => {
      waiting.push({ id, resolve, reject });
      if (!isRunning) void run();
    });
}
