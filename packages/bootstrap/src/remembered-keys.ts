import type { ApiKeys } from '@switchboard/domain';
import { KEY_NOTICES, type Notices } from '@switchboard/persistence';

/** While changes of keys are told at once. Also the longest that a revocation may go unfelt when nobody notices that they are not. */
const LIFE_MS = 4900;
/** While nobody tells, and for a key that is not there: a revocation is felt within a second all the same. */
const SHORT_LIFE_MS = 900;
const KEPT_MAX = 10_000;

type Found = Awaited<ReturnType<ApiKeys['findByPublicId']>>;

interface Remembered {
  readonly asked: Promise<Found>;
  readonly askedMs: number;
  /** Null until it was answered. */
  isThere: boolean | null;
}

/**
 * Looks a key up once in a while instead of for every request. The age counts from before the question, so an answer is
 * never older than its life. What is told to have changed is forgotten, and everything is when something may have been
 * missed. `elapsedMs` never goes back, whatever happens to the clock.
 */
export function rememberedKeys(
  keys: ApiKeys,
  notices: Pick<Notices, 'on' | 'state'>,
  elapsedMs: () => number,
): ApiKeys {
  const remembered = new Map<string, Remembered>();
  notices.on(KEY_NOTICES, (publicId) => {
    if (publicId === null) remembered.clear();
    else remembered.delete(publicId);
  });

  const isFresh = ({ askedMs, isThere }: Remembered, nowMs: number) =>
    nowMs - askedMs < (isThere !== false && notices.state() === 'listening' ? LIFE_MS : SHORT_LIFE_MS);

  return {
    ...keys,
    async findByPublicId(publicId) {
      const nowMs = elapsedMs();
      const known = remembered.get(publicId);
      if (known && isFresh(known, nowMs)) return known.asked;
      const asking: Remembered = { asked: keys.findByPublicId(publicId), askedMs: nowMs, isThere: null };
      // In again at the end: the first is always the one that was asked about longest ago.
      remembered.delete(publicId);
      remembered.set(publicId, asking);
      for (const oldest of remembered.keys()) {
        if (remembered.size <= KEPT_MAX) break;
        remembered.delete(oldest);
      }
      try {
        const found = await asking.asked;
        asking.isThere = found !== null;
        return found;
      } catch (error) {
        if (remembered.get(publicId) === asking) remembered.delete(publicId);
        throw error;
      }
    },
  };
}
