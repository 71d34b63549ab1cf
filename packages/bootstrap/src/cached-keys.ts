import type { ApiKeys, StoredApiKey } from '@switchboard/domain/ports';
import { KEY_CHANGES_CHANNEL, type NotificationListener } from '@switchboard/persistence';

/**
 * The maximum age of a result while changes of keys are announced, and the longest time that a revocation
 * stays undetected when announcements fail silently.
 */
const TTL_MS = 4900;
/** The maximum age of a result while changes are not announced, and of a result for an unknown key. */
const SHORT_TTL_MS = 900;
const KNOWN_MAX = 10_000;
const UNKNOWN_MAX = 1000;
/** The maximum number of ids in one statement. Looking up a thousand costs PostgreSQL a few milliseconds. */
const BATCH_MAX = 1000;

interface Lookup {
  readonly result: Promise<StoredApiKey | null>;
  /** The time before the query, so that a result is never older than its maximum age. -Infinity: outdated. */
  requestedMs: number;
  /** Null until the query returns. */
  exists: boolean | null;
}

/**
 * The key cache, in front of the stored API keys. An announced change outdates the key, and a possible gap in
 * the announcements outdates all of them. `elapsedMs` is monotonic.
 *
 * Guessed keys can neither displace nor delay existing ones: found ids are cached separately and looked up at
 * once; all others go through `batched`, which uses one connection however many there are and rejects none,
 * so that a valid key that is new to this process is found among any number of guesses.
 */
export function cachedKeys(
  keys: ApiKeys,
  notices: Pick<NotificationListener, 'on' | 'state'>,
  elapsedMs: () => number,
): ApiKeys {
  const known = new Map<string, Lookup>();
  const unknown = new Map<string, Lookup>();
  const findUnknown = batchLookups(keys);
  notices.on(KEY_CHANGES_CHANNEL, (publicId) => {
    const outdated = publicId === null ? [...known.values()] : [known.get(publicId)];
    for (const lookup of outdated) if (lookup) lookup.requestedMs = -Infinity;
    if (publicId === null) unknown.clear();
    else unknown.delete(publicId);
  });

  const isFresh = ({ requestedMs, exists }: Lookup, nowMs: number) =>
    nowMs - requestedMs < (exists !== false && notices.state() === 'listening' ? TTL_MS : SHORT_TTL_MS);

  return {
    ...keys,
    async findByPublicId(publicId) {
      const requestedMs = elapsedMs();
      const last = known.get(publicId) ?? unknown.get(publicId);
      if (last && isFresh(last, requestedMs)) return last.result;
      const isKnown = known.has(publicId);
      const result = isKnown ? keys.findByPublicId(publicId) : findUnknown(publicId);
      const lookup: Lookup = { result, requestedMs, exists: null };
      if (isKnown) setEntry(known, publicId, lookup, KNOWN_MAX);
      else setEntry(unknown, publicId, lookup, UNKNOWN_MAX);
      const isLatest = () => (known.get(publicId) ?? unknown.get(publicId)) === lookup;
      try {
        const found = await result;
        lookup.exists = found !== null;
        if (!isLatest() || lookup.exists === isKnown) return found;
        known.delete(publicId);
        unknown.delete(publicId);
        if (found) setEntry(known, publicId, lookup, KNOWN_MAX);
        else setEntry(unknown, publicId, lookup, UNKNOWN_MAX);
        return found;
      } catch (error) {
        if (isLatest()) lookup.requestedMs = -Infinity;
        throw error;
      }
    },
  };
}

/** Adds or replaces an entry, and drops the oldest entries beyond `max`. */
function setEntry(lookups: Map<string, Lookup>, publicId: string, lookup: Lookup, max: number): void {
  lookups.delete(publicId);
  lookups.set(publicId, lookup);
  for (const oldest of lookups.keys()) {
    if (lookups.size <= max) break;
    lookups.delete(oldest);
  }
}

interface PendingLookup {
  readonly publicId: string;
  readonly resolve: (found: StoredApiKey | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Looks up keys with at most one statement at a time; keys requested meanwhile share the next one. */
function batchLookups(keys: Pick<ApiKeys, 'findAllByPublicId'>) {
  const waiting: PendingLookup[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_MAX);
      try {
        const found = await keys.findAllByPublicId(batch.map(({ publicId }) => publicId));
        const byId = new Map(found.map((one) => [one.key.publicId, one]));
        for (const { publicId, resolve } of batch) resolve(byId.get(publicId) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };
  return (publicId: string) =>
    new Promise<StoredApiKey | null>((resolve, reject) => {
      waiting.push({ publicId, resolve, reject });
      if (!isRunning) void run();
    });
}
