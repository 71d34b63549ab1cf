import { ok } from '@switchboard/domain';
import type { Answer } from './answers.js';
import type { ListedPage } from './look-back.js';

/** What is on the pages of a list. Whoever has more than may be looked through is shown as many. */
export async function everyPage<One>(
  pagesMax: number,
  page: (next: string | undefined) => Answer<ListedPage<One>>,
): Answer<readonly One[]> {
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
