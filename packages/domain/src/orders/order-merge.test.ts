import { expect, test } from '@jest/globals';
import { mergeOrders, type MergeSource } from './order-merge.js';

const source = (
  times: readonly number[],
  over: Partial<MergeSource<string>> = {},
  name = 'x',
): MergeSource<string> => ({
  items: times.map((timeMs) => ({ timeMs, item: `${name}${timeMs}` })),
  ended: true,
  searchedToMs: times.at(-1) ?? null,
  ...over,
});
const names = (
  lanes: readonly MergeSource<string>[],
  limit = 10,
  sort: '-created_at' | 'created_at' = '-created_at',
) => mergeOrders(lanes, sort, limit).items.map(({ item }) => item);

test('lanes are merged in the requested order, up to the limit', () => {
  const lanes = [source([9, 5, 1], {}, 'a'), source([8, 6], {}, 'b')];
  expect(names(lanes)).toEqual(['a9', 'b8', 'b6', 'a5', 'a1']);
  expect(mergeOrders(lanes, '-created_at', 3).taken).toEqual([1, 2]);
  expect(names([source([1, 5], {}, 'a'), source([2], {}, 'b')], 10, 'created_at')).toEqual([
    'a1',
    'b2',
    'a5',
  ]);
});

test('no item is returned that an unread item of another lane might precede', () => {
  const searched = source([], { ended: false, searchedToMs: 7 });
  expect(names([source([9, 7, 5], {}, 'a'), searched])).toEqual(['a9', 'a7']);
  expect(names([source([9], {}, 'a'), source([], { ended: false, searchedToMs: null })])).toEqual([]);
});

test('a lane that has ended does not block the others', () => {
  expect(names([source([9, 5], {}, 'a'), source([], { ended: true })])).toEqual(['a9', 'a5']);
});
