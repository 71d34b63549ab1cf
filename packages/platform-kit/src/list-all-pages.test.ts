import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { listAllPages } from './list-all-pages.js';

/** Three pages of one item each. */
const page = async (next: string | undefined) => {
  const at = Number(next ?? 0);
  return ok({ found: [at], next: at < 2 ? String(at + 1) : undefined });
};

test.each([
  ['reads all pages to the last', 9, [0, 1, 2]],
  ['truncates a list at the maximum number of pages', 2, [0, 1]],
])('%s', async (_, pagesMax, found) => {
  expect(await listAllPages(pagesMax, page)).toEqual(ok(found));
});

test('an unreadable page does not end the list', async () => {
  const broken = refuse('platform.unavailable', 'Not now.');
  expect(await listAllPages(9, async (next) => (next === undefined ? page(next) : broken))).toEqual(broken);
});
