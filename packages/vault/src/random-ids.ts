import { randomFillSync } from 'node:crypto';
import { formatId } from '@switchboard/domain';
import type { Clock, Ids } from '@switchboard/domain/ports';

const RANDOM_BYTES = 10;
const POOL_BYTES = 400 * RANDOM_BYTES;
/** A clock correction below this limit keeps IDs in order. */
const SETBACK_MS = 1000;

/**
 * IDs sort in the order in which this process creates them; within a millisecond each ID increments the
 * previous one. Random bytes are read in batches, since the system call costs more than the bytes. No byte is
 * used twice.
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

/** Increments the bytes as a big-endian number; false on overflow. */
function increment(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 1; at >= 0; at--) {
    const more = ((bytes[at] ?? 0) + 1) % 256;
    bytes[at] = more;
    if (more !== 0) return true;
  }
  return false;
}
