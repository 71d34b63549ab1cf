import { randomFillSync } from 'node:crypto';
import { formatId, type Clock, type Ids } from '@switchboard/domain';

const RANDOM_BYTES = 10;
const POOL_BYTES = 400 * RANDOM_BYTES;
/** A clock that is set right by less than this does not put ids out of order. */
const SETBACK_MS = 1000;

/**
 * Ids in the order in which this process makes them, also within a millisecond: each is then the next after the one before.
 * Random bytes are fetched for many at once, as to ask for them costs more than to get them. None is used twice.
 */
export function randomIds(clock: Pick<Clock, 'now'>): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  let lastMs = -Infinity;
  let last = new Uint8Array(RANDOM_BYTES);

  function nextRandomBytes(): Uint8Array<ArrayBuffer> {
    if (used === POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    return new Uint8Array(pool.subarray(used, (used += RANDOM_BYTES)));
  }

  return {
    next(prefix) {
      const nowMs = clock.now().getTime();
      const isSameTime = nowMs <= lastMs && nowMs > lastMs - SETBACK_MS;
      if (!isSameTime || !increment(last)) {
        lastMs = isSameTime ? lastMs + 1 : nowMs;
        last = nextRandomBytes();
      }
      return formatId(prefix, lastMs, last);
    },
  };
}

/** One more, as a number with its highest byte first; false when there is none. */
function increment(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 1; at >= 0; at--) {
    const more = ((bytes[at] ?? 0) + 1) % 256;
    bytes[at] = more;
    if (more !== 0) return true;
  }
  return false;
}
