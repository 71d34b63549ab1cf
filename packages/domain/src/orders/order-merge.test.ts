import { expect, test } from '@jest/globals';
import { mergeOrders, type Lane } from './order-merge.js';

const lane = (times: readonly number[], over: Partial<Lane<string>> = {}, name = 'x'): Lane<string> => ({
  items: times.map((timeMs) => ({ timeMs, item: `${name}${timeMs}` })),
  ended: true,
  searchedToMs: times.at(-1) ?? null,
  ...over,
});
const names = (
  lanes: readonly Lane<string>[],
  limit = 10,
  sort: '-created_at' | 'created_at' = '-created_at',
) => mergeOrders(lanes, sort, limit).items.map(({ item }) => item);

test('lanes are merged in the asked order, up to the limit', () => {
  const lanes = [lane([9, 5, 1], {}, 'a'), lane([8, 6], {}, 'b')];
  expect(names(lanes)).toEqual(['a9', 'b8', 'b6', 'a5', 'a1']);
  expect(mergeOrders(lanes, '-created_at', 3).taken).toEqual([1, 2]);
  expect(names([lane([1, 5], {}, 'a'), lane([2], {}, 'b')], 10, 'created_at')).toEqual(['a1', 'b2', 'a5']);
});

test('nothing is given that a lane still to be read might precede', () => {
  const searched = lane([], { ended: false, searchedToMs: 7 });
  expect(names([lane([9, 7, 5], {}, 'a'), searched])).toEqual(['a9', 'a7']);
  expect(names([lane([9], {}, 'a'), lane([], { ended: false, searchedToMs: null })])).toEqual([]);
});

test('a lane that is at its end holds nobody up', () => {
  expect(names([lane([9, 5], {}, 'a'), lane([], { ended: true })])).toEqual(['a9', 'a5']);
});
