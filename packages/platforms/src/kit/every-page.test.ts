import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { everyPage } from './every-page.js';

/** Three pages of one each. */
const page = async (next: string | undefined) => {
  const at = Number(next ?? 0);
  return ok({ found: [at], next: at < 2 ? String(at + 1) : undefined });
};

test.each([
  ['all pages are read, to the last', 9, [0, 1, 2]],
  ['and of more than may be looked through as many', 2, [0, 1]],
])('%s', async (_, pagesMax, found) => {
  expect(await everyPage(pagesMax, page)).toEqual(ok(found));
});

test('a page that cannot be read is no end of the list', async () => {
  const broken = refuse('platform.unavailable', 'Not now.');
  expect(await everyPage(9, async (next) => (next === undefined ? page(next) : broken))).toEqual(broken);
});
