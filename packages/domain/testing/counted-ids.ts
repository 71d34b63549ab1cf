import { formatId } from '../src/ids.js';
import type { Clock, Ids } from '../src/ports/index.js';

/**
 * Ids that sort in the order of creation, also within a millisecond, and never repeat: the random part is a
 * counter.
 */
export function countedIds(clock: Pick<Clock, 'now'>): Ids {
  let count = 0;
  return {
    next(prefix) {
      count++;
      const bytes = new Uint8Array(10);
      new DataView(bytes.buffer).setUint32(6, count);
      return formatId(prefix, clock.now().getTime(), bytes);
    },
  };
}
