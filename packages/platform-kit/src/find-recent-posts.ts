import { ok, refuse, type Refusal, type Result } from '@switchboard/domain';
import type { PublishItem } from '@switchboard/domain/ports';
import type { AdapterResult } from './platform-client.js';

/** The maximum clock skew of a platform. */
const CLOCK_SKEW_MS = 5_000;

export interface ListedPage<One> {
  readonly found: readonly One[];
  /** The cursor of the next page; undefined if there is none. */
  readonly next: string | undefined;
}

interface RecentPostsQuery<One> {
  readonly pagesMax: number;
  /**
   * Whether the list starts with the newest item, so that an item older than the cutoff ends it. `if_seen`:
   * undocumented, so only as long as the observed order is descending.
   */
  readonly newestFirst: boolean | 'if_seen';
  readonly createdAtOf: (one: One) => string;
}

/**
 * The items created at the platform since an item was due. More than can be searched is an unknown outcome.
 */
export async function findRecentPosts<One>(
  { createdAt }: Pick<PublishItem, 'createdAt'>,
  page: (next: string | undefined, since: Date) => AdapterResult<ListedPage<One>>,
  { pagesMax, newestFirst, createdAtOf }: RecentPostsQuery<One>,
): AdapterResult<readonly One[]> {
  const since = new Date(createdAt.getTime() - CLOCK_SKEW_MS);
  const isNew = (one: One) => Date.parse(createdAtOf(one)) >= since.getTime();
  const isSortedNewestFirst = () =>
    all.every(
      (one, at) => at === 0 || Date.parse(createdAtOf(one)) <= Date.parse(createdAtOf(all[at - 1] ?? one)),
    );
  const all: One[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const listed = await page(next, since);
    if (!listed.ok) return listed;
    const { found } = listed.value;
    all.push(...found);
    next = listed.value.next;
    const last = found.at(-1);
    const isBeforeStart = newestFirst !== false && last !== undefined && !isNew(last);
    if (next === undefined || (isBeforeStart && (newestFirst === true || isSortedNewestFirst())))
      return ok(all.filter(isNew));
  }
  return refuse('platform.outcome_unknown', 'Too many posts were published since to search all of them.');
}

/**
 * The match that also has the requested options (`isAsAsked`). A match that differs only in those makes the
 * outcome unknown: it may be another post, or the item, changed at the platform since.
 */
export const resolveSingleMatchWithOptions = <One>(
  same: readonly One[],
  isAsAsked: (one: One) => boolean,
): Result<One | null, never> | Refusal<'platform.outcome_unknown'> => {
  const asAsked = same.filter(isAsAsked);
  return asAsked.length === 0 && same.length > 0
    ? refuse(
        'platform.outcome_unknown',
        'The account has a post with the same text but different options or media.',
      )
    : resolveSingleMatch(asAsked);
};

/** The only match; null if there is none. Several matches are indistinguishable. */
export const resolveSingleMatch = <One>(
  same: readonly One[],
): Result<One | null, never> | Refusal<'platform.outcome_unknown'> =>
  same.length > 1
    ? refuse(
        'platform.outcome_unknown',
        'The account has several posts with the same text, which cannot be distinguished.',
      )
    : ok(same[0] ?? null);
