import { expect, test } from '@jest/globals';
import { mapSettled } from './map-settled.js';

const never = new AbortController().signal;

test.each([1, 3])('an item that throws does not affect the others, %i at a time', async (atOnce) => {
  const done: number[] = [];
  const all = mapSettled(
    [1, 2, 3, 4, 5],
    never,
    async (item) => {
      if (item % 2 === 0) throw new Error(`${item} cannot`);
      done.push(item);
    },
    atOnce,
  );
  const error = await all.catch((one: unknown) => one);
  expect(done.sort()).toEqual([1, 3, 5]);
  expect((error as AggregateError).errors.map(String)).toEqual(['Error: 2 cannot', 'Error: 4 cannot']);
});

test('no item starts after the signal is aborted', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  await mapSettled([1, 2, 3], stop.signal, async (item) => {
    begun.push(item);
    stop.abort();
  });
  expect(begun).toEqual([1]);
});
