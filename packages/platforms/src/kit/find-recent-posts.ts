import { ok, refuse, type PublishItem, type Refusal, type Result } from '@switchboard/domain';
import type { AdapterResult } from './platform-client.js';

/** How far a platform's clock may be behind ours. */
const CLOCK_SKEW_MS = 5_000;

export interface ListedPage<One> {
  readonly found: readonly One[];
  /** What the next page is asked for with; undefined: there is none. */
  readonly next: string | undefined;
}

export interface RecentPostsQuery<One> {
  readonly pagesMax: number;
  /**
   * Whether a page begins with the newest: then what is older than the item ends the list. Where nobody says so, only as long
   * as it is seen to be so.
   */
  readonly newestFirst: boolean | 'if_seen';
  readonly createdAtOf: (one: One) => string;
}

/** What has come to be at the platform since an item was due. More than may be looked through is an unknown outcome. */
export async function findRecentPosts<One>(
  { createdAt }: Pick<PublishItem, 'createdAt'>,
  page: (next: string | undefined, since: Date) => AdapterResult<ListedPage<One>>,
  { pagesMax, newestFirst, createdAtOf }: RecentPostsQuery<One>,
): AdapterResult<readonly One[]> {
  const since = new Date(createdAt.getTime() - CLOCK_SKEW_MS);
  const isNew = (one: One) => Date.parse(createdAtOf(one)) >= since.getTime();
  const isSortedNewestFirst = () =>
    all.every((one, at) => at === 0 || Date.parse(createdAtOf(one)) <= Date.parse(createdAtOf(all[at - 1] ?? one)));
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
    if (next === undefined || (isBeforeStart && (newestFirst === true || isSortedNewestFirst()))) return ok(all.filter(isNew));
  }
  return refuse('platform.outcome_unknown', 'More has come since than can be looked through.');
}

/**
 * The one that is the item and was given the same options (`isAsAsked`). One that differs from it in those alone is a doubt: it
 * may be another post, or the item, changed at the platform since.
 */
export const resolveSingleMatchWithOptions = <One>(
  same: readonly One[],
  isAsAsked: (one: One) => boolean,
): Result<One | null, never> | Refusal<'platform.outcome_unknown'> => {
  const asAsked = same.filter(isAsAsked);
  return asAsked.length === 0 && same.length > 0
    ? refuse(
        'platform.outcome_unknown',
        'The account has one with these words and with other options or media.',
      )
    : resolveSingleMatch(asAsked);
};

/** The one that is the item; null: none is. With several nobody can tell. */
export const resolveSingleMatch = <One>(
  same: readonly One[],
): Result<One | null, never> | Refusal<'platform.outcome_unknown'> =>
  same.length > 1
    ? refuse(
        'platform.outcome_unknown',
        'The account has several with these words, and nobody can tell which.',
      )
    : ok(same[0] ?? null);
