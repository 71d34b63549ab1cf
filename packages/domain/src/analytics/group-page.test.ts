import { expect, test } from '@jest/globals';
import { pageGroups, type GroupSort } from './group-page.js';
import type { AnalyticsGroup } from './groups.js';
import { toAnalyticsMetrics, toMetricSums } from './metric-sums.js';
import { noMetrics } from './metrics.js';

const group = (key: string, likes: number | null): AnalyticsGroup => ({
  key,
  postCount: 1,
  metrics: toAnalyticsMetrics(toMetricSums({ ...noMetrics, likes })),
});
const groups = [
  group('d', 5),
  group('a', null),
  group('c', 9),
  group('e', 5),
  group('b', 0),
  group('f', null),
];

function readAll(sort: GroupSort, limit: number) {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = pageGroups(groups, sort, { limit, after });
    pages.push(page.items.map(({ key }) => key));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

test('sorts by key, ascending', () => {
  expect(readAll('key', 10)).toEqual([['a', 'b', 'c', 'd', 'e', 'f']]);
});

test('sorts by a metric, descending: ties by key, null after zero', () => {
  expect(readAll('-likes', 10)).toEqual([['c', 'd', 'e', 'b', 'a', 'f']]);
});

test.each([1, 2, 3, 5])('pages of %d return every group once, also among ties and nulls', (limit) => {
  expect(readAll('-likes', limit).flat()).toEqual(['c', 'd', 'e', 'b', 'a', 'f']);
  expect(readAll('key', limit).flat()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('a full last page is the last one', () => {
  expect(readAll('key', 6)).toHaveLength(1);
  expect(readAll('key', 3)).toHaveLength(2);
});

test('a group that disappears before the next page is read does not affect the others', () => {
  const first = pageGroups(groups, '-likes', { limit: 2 });
  const rest = pageGroups(groups.slice(1), '-likes', { limit: 10, after: first.next });
  expect(rest.items.map(({ key }) => key)).toEqual(['e', 'b', 'a', 'f']);
});
