import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { findRecentPosts, resolveSingleMatch } from './find-recent-posts.js';

const due = { createdAt: new Date('2026-11-22T10:00:00Z') };
const at = (time: string) => ({ at: `2026-11-22T${time}Z` });
const createdAtOf = (one: { readonly at: string }) => one.at;
const pages = [
  [at('10:00:09'), at('10:00:01')],
  [at('09:59:56'), at('09:59:54')],
  [at('10:00:02'), at('09:00:00')],
];
const paged = (requested: string[]) => async (next: string | undefined) => {
  requested.push(next ?? 'first');
  const page = Number(next ?? 0);
  return ok({ found: pages[page] ?? [], next: page + 1 < pages.length ? String(page + 1) : undefined });
};

test('reads newer posts up to the first that is older, with a tolerance of five seconds', async () => {
  const requested: string[] = [];
  const how = { pagesMax: 3, newestFirst: true, createdAtOf };
  expect(await findRecentPosts(due, paged(requested), how)).toEqual(
    ok([at('10:00:09'), at('10:00:01'), at('09:59:56')]),
  );
  expect(requested).toEqual(['first', '1']);
});

test('reads a list in another order to its end', async () => {
  const requested: string[] = [];
  const how = { pagesMax: 3, newestFirst: false, createdAtOf };
  expect(await findRecentPosts(due, paged(requested), how)).toEqual(
    ok([at('10:00:09'), at('10:00:01'), at('09:59:56'), at('10:00:02')]),
  );
  expect(requested).toEqual(['first', '1', '2']);
});

test('an end that is not reached is an unknown outcome, not an absence', async () => {
  const listed = await findRecentPosts(due, paged([]), { pagesMax: 1, newestFirst: true, createdAtOf });
  expect(listed).toMatchObject({ ok: false, failure: { code: 'platform.outcome_unknown' } });
});

test('returns the failure of a page', async () => {
  const no = refuse('platform.unavailable', 'Not now.');
  expect(await findRecentPosts(due, async () => no, { pagesMax: 2, newestFirst: true, createdAtOf })).toBe(
    no,
  );
});

test('a single match is the match, several matches are not', () => {
  expect(resolveSingleMatch([])).toEqual(ok(null));
  expect(resolveSingleMatch(['a'])).toEqual(ok('a'));
  expect(resolveSingleMatch(['a', 'a'])).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
});

test('a list without a documented order ends early only while it is observed to be newest first', async () => {
  const how = { pagesMax: 3, newestFirst: 'if_seen', createdAtOf } as const;
  const inOrder: string[] = [];
  expect(await findRecentPosts(due, paged(inOrder), how)).toEqual(
    ok([at('10:00:09'), at('10:00:01'), at('09:59:56')]),
  );
  expect(inOrder).toEqual(['first', '1']);
  const requested: string[] = [];
  const turned = async (next: string | undefined) => {
    const page = await paged(requested)(next);
    return ok({ ...page.value, found: page.value.found.toReversed() });
  };
  expect(await findRecentPosts(due, turned, how)).toEqual(
    ok([at('10:00:01'), at('10:00:09'), at('09:59:56'), at('10:00:02')]),
  );
});
