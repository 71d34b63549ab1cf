import { randomFillSync } from 'node:crypto';
import { formatId, type Clock, type Ids } from '@switchboard/domain';

const RANDOM_BYTES = 10;
const POOL_BYTES = 400 * RANDOM_BYTES;

/** Random bytes are fetched for many ids at once: to ask for them costs more than to get them. None is used twice. */
export function randomIds(clock: Pick<Clock, 'now'>): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    next(prefix) {
      if (used === POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = pool.subarray(used, (used += RANDOM_BYTES));
      return formatId(prefix, clock.now().getTime(), bytes);
    },
  };
}
