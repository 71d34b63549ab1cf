import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { noMetrics } from '@switchboard/domain/analytics';
import { readEach, readInBatches, sumIfComplete } from './read-metrics.js';

const likes = (many: number) => ({ ...noMetrics, likes: many });

test('batches are as large as allowed, and posts without metrics are left out', async () => {
  const requested: string[][] = [];
  const read = await readInBatches(['a', 'b', 'c'], 2, async (ids) => {
    requested.push([...ids]);
    return ok(ids.filter((id) => id !== 'b').map((id) => [id, likes(1)] as const));
  });
  expect(requested).toEqual([['a', 'b'], ['c']]);
  expect(read).toEqual(
    ok(
      new Map([
        ['a', likes(1)],
        ['c', likes(1)],
      ]),
    ),
  );
});

test('limits concurrent requests and leaves out a post that is gone', async () => {
  let now = 0;
  let most = 0;
  const read = await readEach(['a', 'b', 'c', 'd', 'e'], 2, async (id) => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    return ok(id === 'c' ? null : likes(2));
  });
  expect(most).toBe(2);
  expect(read.ok && [...read.value.keys()]).toEqual(['a', 'b', 'd', 'e']);
});

test('an unreadable response is the result', async () => {
  const no = refuse('platform.unavailable', 'Not now.');
  expect(await readEach(['a', 'b'], 4, async (id) => (id === 'b' ? no : ok(likes(1))))).toBe(no);
});

test.each([
  [[1, 2], 3],
  [[0, 0], 0],
  [[1, null], null],
  [[undefined, 2], null],
])('the sum of %p is %p', (reported, sum) => {
  expect(sumIfComplete(...reported)).toBe(sum);
});
