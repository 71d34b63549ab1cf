import type { FailureCode, Result } from '@switchboard/domain';
import type { Clock } from '@switchboard/domain/ports';

interface SingleFlightCache<Value, Code extends FailureCode> {
  /** Concurrent callers of the same name share one load. Failures are not cached. */
  getOrLoad(name: string, load: () => Promise<Result<Value, Code>>): Promise<Result<Value, Code>>;
}

interface CacheEntry<Value, Code extends FailureCode> {
  readonly result: Promise<Result<Value, Code>>;
  readonly untilMs: number;
}

/** Caches up to `max` values for `ttlMs` each; the oldest is evicted first. */
export function singleFlightCache<Value, Code extends FailureCode>(
  clock: Pick<Clock, 'now'>,
  { ttlMs, max }: { readonly ttlMs: number; readonly max: number },
): SingleFlightCache<Value, Code> {
  const entries = new Map<string, CacheEntry<Value, Code>>();

  const evictExpired = (nowMs: number) => {
    for (const [name, { untilMs }] of entries) {
      if (untilMs > nowMs && entries.size <= max) return;
      entries.delete(name);
    }
  };

  return {
    async getOrLoad(name, load) {
      const nowMs = clock.now().getTime();
      evictExpired(nowMs);
      const known = entries.get(name);
      if (known) return known.result;

      const entry = { result: load(), untilMs: nowMs + ttlMs };
      entries.set(name, entry);
      evictExpired(nowMs);
      const evict = () => entries.get(name) === entry && entries.delete(name);
      try {
        const result = await entry.result;
        if (!result.ok) evict();
        return result;
      } catch (error) {
        evict();
        throw error;
      }
    },
  };
}
