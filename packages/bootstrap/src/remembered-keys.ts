import type { ApiKeys } from '@switchboard/domain';

/** A revocation is felt in every process within a second, also where nobody tells it. */
const LIFE_MS = 900;
const KEPT_MAX = 10_000;

type Found = ReturnType<ApiKeys['findByPublicId']>;

interface Remembered {
  readonly found: Found;
  readonly untilMs: number;
}

/**
 * Looks a key up once in a while instead of for every request. The age counts from before the question, so an answer is
 * never older than its life. A key that is not there is not remembered: one that is made is known at once.
 * `elapsedMs` never goes back, whatever happens to the clock.
 */
export function rememberedKeys(keys: ApiKeys, elapsedMs: () => number): ApiKeys {
  const remembered = new Map<string, Remembered>();

  const forgetOld = (nowMs: number) => {
    for (const [publicId, { untilMs }] of remembered) {
      if (untilMs > nowMs && remembered.size <= KEPT_MAX) return;
      remembered.delete(publicId);
    }
  };

  return {
    ...keys,
    async findByPublicId(publicId) {
      const nowMs = elapsedMs();
      forgetOld(nowMs);
      const known = remembered.get(publicId);
      if (known) return known.found;
      const asked: Remembered = { found: keys.findByPublicId(publicId), untilMs: nowMs + LIFE_MS };
      remembered.set(publicId, asked);
      const forget = () => remembered.get(publicId) === asked && remembered.delete(publicId);
      try {
        const found = await asked.found;
        if (!found) forget();
        return found;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
