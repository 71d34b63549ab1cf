import { ok } from '@switchboard/domain';
import type { AdapterResult } from './platform-client.js';
import type { ListedPage } from './find-recent-posts.js';

/** The items on all pages of a list, truncated at the maximum number of pages. */
export async function listAllPages<One>(
  pagesMax: number,
  page: (next: string | undefined) => AdapterResult<ListedPage<One>>,
): AdapterResult<readonly One[]> {
  const all: One[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const listed = await page(next);
    if (!listed.ok) return listed;
    all.push(...listed.value.found);
    next = listed.value.next;
    if (next === undefined) break;
  }
  return ok(all);
}
