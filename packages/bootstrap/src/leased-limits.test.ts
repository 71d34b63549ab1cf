import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Limits, WorkspaceId } from '@switchboard/domain';
import type { RequestCounts } from '@switchboard/persistence';
import { leasedLimits } from './leased-limits.js';

const key: Parameters<Limits['take']>[0] = {
  lineage: 'key_one',
  workspaceId: 'wsp_one' as WorkspaceId,
};
const other = { ...key, lineage: 'key_two' };
const WINDOW_SECONDS = 10;

let nowMs: number;
let asked: number[];
let isAway: boolean;
let counts: RequestCounts;
let errors: unknown[];
beforeEach(() => {
  nowMs = 1000;
  asked = [];
  isAway = false;
  errors = [];
  const windows = new Map<string, { taken: number; endsMs: number }>();
  counts = {
    async add({ lineage }, count, windowMs) {
      asked.push(count);
      if (isAway) throw new Error('away');
      const runs = windows.get(lineage);
      const next =
        runs && runs.endsMs > nowMs
          ? { ...runs, taken: runs.taken + count }
          : { taken: count, endsMs: nowMs + windowMs };
      windows.set(lineage, next);
      return { taken: next.taken, leftMs: next.endsMs - nowMs };
    },
  };
});
const process = (quota: number) =>
  leasedLimits(
    counts,
    { quota, windowSeconds: WINDOW_SECONDS },
    () => nowMs,
    (error) => errors.push(error),
  );
const granted = async (limits: Limits, times: number, of = key) => {
  const taken = await Promise.all(Array.from({ length: times }, () => limits.take(of)));
  return taken.filter(({ verdict }) => verdict === 'granted').length;
};

describe('one process', () => {
  test.each([1, 2, 7, 100, 600])(
    'grants %d and not one more, and as many again in the next window',
    async (quota) => {
      const limits = process(quota);
      expect(await granted(limits, quota + 50)).toBe(quota);
      nowMs += WINDOW_SECONDS * 1000;
      expect(await granted(limits, quota + 50)).toBe(quota);
    },
  );

  test('asks the database a few dozen times for a thousand requests, and never while it refuses', async () => {
    const limits = process(1000);
    expect(await granted(limits, 1000)).toBe(1000);
    expect(asked.length).toBeLessThan(70);
    const before = asked.length;
    expect(await granted(limits, 1000)).toBe(0);
    expect(asked).toHaveLength(before);
  });

  test('says what is left and for how long', async () => {
    const limits = process(2);
    expect(await limits.take(key)).toEqual({
      ...{ quota: 2, windowSeconds: 10, remaining: 1, resetSeconds: 10 },
      ...{ verdict: 'granted', isShared: true },
    });
    nowMs += 3100;
    expect(await limits.take(key)).toMatchObject({ remaining: 0, resetSeconds: 7, verdict: 'granted' });
    expect(await limits.take(key)).toMatchObject({ remaining: 0, resetSeconds: 7, verdict: 'exhausted' });
  });

  test('keeps families apart', async () => {
    const limits = process(5);
    expect(await granted(limits, 9)).toBe(5);
    expect(await granted(limits, 9, other)).toBe(5);
  });
});

test('four processes grant together what one would, all of it', async () => {
  const processes = [process(100), process(100), process(100), process(100)];
  const each = await Promise.all(processes.map((limits) => granted(limits, 200)));
  expect(each.reduce((sum, one) => sum + one)).toBe(100);
});

describe('while the common count is away', () => {
  test('each process grants what falls to a few seconds, says that it is alone, and asks again', async () => {
    isAway = true;
    const limits = process(100);
    expect(await granted(limits, 200)).toBe(50);
    expect(asked).toHaveLength(1);
    expect((await limits.take(key)).isShared).toBe(false);
    isAway = false;
    nowMs += 5000;
    expect(await limits.take(key)).toMatchObject({ isShared: true, verdict: 'granted' });
    expect(errors).toHaveLength(1);
  });

  test('nobody waits for an answer longer than a second', async () => {
    counts = { add: () => new Promise(() => undefined) };
    const beganMs = performance.now();
    expect(await process(100).take(key)).toMatchObject({ isShared: false, verdict: 'granted' });
    expect(performance.now() - beganMs).toBeLessThan(1500);
  });
});
