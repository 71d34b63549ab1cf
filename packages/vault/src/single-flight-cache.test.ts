import { expect, test } from '@jest/globals';
import { ok, refuse, type Result } from '@switchboard/domain';
import { singleFlightCache } from './single-flight-cache.js';
import { manualClock } from './testing.js';

const counting = (answer: (call: number) => Result<number> = ok) => {
  let calls = 0;
  return { load: async () => answer(++calls), calls: () => calls };
};

test('evicts the oldest entry beyond its size', async () => {
  const memory = singleFlightCache<number, never>(manualClock(), { ttlMs: 1000, max: 2 });
  const loads = { a: counting(), b: counting(), c: counting() };
  const recall = (name: keyof typeof loads) =>
    memory.getOrLoad(name, loads[name].load as () => Promise<Result<number, never>>);
  await recall('a');
  await recall('b');
  await recall('c');
  await recall('b');
  await recall('c');
  expect([loads.b.calls(), loads.c.calls()]).toEqual([1, 1]);
  await recall('a');
  expect(loads.a.calls()).toBe(2);
});

test('does not cache failures and exceptions, but shares them with concurrent callers', async () => {
  const memory = singleFlightCache<number, 'vault.unavailable'>(manualClock(), { ttlMs: 1000, max: 2 });
  let calls = 0;
  const load = async (): Promise<Result<number, 'vault.unavailable'>> => {
    calls++;
    if (calls === 1) return refuse('vault.unavailable', 'down');
    if (calls === 2) throw new Error('dead');
    return ok(calls);
  };
  const together = await Promise.all([memory.getOrLoad('a', load), memory.getOrLoad('a', load)]);
  expect(together.map(({ ok }) => ok)).toEqual([false, false]);
  await expect(Promise.all([memory.getOrLoad('a', load), memory.getOrLoad('a', load)])).rejects.toThrow(
    'dead',
  );
  expect(await memory.getOrLoad('a', load)).toEqual(ok(3));
  expect(await memory.getOrLoad('a', load)).toEqual(ok(3));
});
