import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import type { CountedKey, Limits } from '@switchboard/domain/ports';
import type { RequestCounts } from '@switchboard/persistence';
import { leasedLimits } from './leased-limits.js';

const key: CountedKey = { lineage: 'key_one', ancestors: [], workspaceId: 'wsp_one' as WorkspaceId };
const other: CountedKey = { ...key, lineage: 'key_two' };
/** More than any test requests. */
const PLENTY = 1_000_000;
const WINDOW_SECONDS = 10;

let nowMs: number;
let asked: number[];
let statements: number;
let isAway: boolean;
let counts: RequestCounts;
let errors: unknown[];
beforeEach(() => {
  nowMs = 1000;
  asked = [];
  statements = 0;
  isAway = false;
  errors = [];
  const windows = new Map<string, { taken: number; endsMs: number }>();
  counts = {
    async add(slices, windowMs) {
      statements += 1;
      if (isAway) throw new Error('away');
      return slices.map(({ id, count }) => {
        if (id.startsWith('key_')) asked.push(count);
        const current = windows.get(id);
        const next =
          current && current.endsMs > nowMs
            ? { ...current, taken: current.taken + count }
            : { taken: count, endsMs: nowMs + windowMs };
        windows.set(id, next);
        return { id, taken: next.taken, leftMs: next.endsMs - nowMs };
      });
    },
  };
});
const process = (quota: number, workspaceQuota = PLENTY, slices?: number) =>
  leasedLimits(
    counts,
    {
      key: { quota, windowSeconds: WINDOW_SECONDS },
      workspace: { quota: workspaceQuota, windowSeconds: WINDOW_SECONDS },
    },
    () => nowMs,
    (error) => errors.push(error),
    slices,
  );
const granted = async (limits: Limits, times: number, of = key) => {
  const taken = await Promise.all(Array.from({ length: times }, () => limits.take(of)));
  return taken.filter(({ exhausted }) => exhausted === null).length;
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

  test('queries the database a few dozen times for a thousand requests, and never while it rejects', async () => {
    const limits = process(1000);
    expect(await granted(limits, 1000)).toBe(1000);
    expect(asked.length).toBeLessThan(70);
    const before = asked.length;
    expect(await granted(limits, 1000)).toBe(0);
    expect(asked).toHaveLength(before);
  });

  test('returns the remaining quota and its duration', async () => {
    const limits = process(2);
    const quota = { name: 'key', quota: 2, windowSeconds: 10 } as const;
    const workspace = { name: 'workspace', quota: PLENTY, windowSeconds: 10 } as const;
    expect(await limits.take(key)).toEqual({
      exhausted: null,
      quotas: [
        { ...quota, remaining: 1, resetSeconds: 10 },
        { ...workspace, remaining: PLENTY - 1, resetSeconds: 10 },
      ],
      isShared: true,
    });
    nowMs += 3100;
    const empty = { ...quota, remaining: 0, resetSeconds: 7 };
    expect(await limits.take(key)).toMatchObject({ exhausted: null, quotas: [empty, {}] });
    expect(await limits.take(key)).toEqual({ exhausted: empty, quotas: [empty], isShared: true });
  });

  test('counts lineages separately', async () => {
    const limits = process(5);
    expect(await granted(limits, 9)).toBe(5);
    expect(await granted(limits, 9, other)).toBe(5);
  });

  test('counts a key against each of its ancestors, and no ancestor against its descendants (finding 5)', async () => {
    const limits = process(10);
    const child = { ...key, lineage: 'key_child', ancestors: ['key_one'] };
    const grandchild = { ...key, lineage: 'key_grandchild', ancestors: ['key_child', 'key_one'] };
    expect(await granted(limits, 4, grandchild)).toBe(4);
    expect(await granted(limits, 3, child)).toBe(3);
    expect(await granted(limits, 9, key)).toBe(3);
    expect(await limits.take(grandchild)).toMatchObject({ exhausted: { name: 'key', remaining: 0 } });
    nowMs += WINDOW_SECONDS * 1000;
    expect(await granted(limits, 9, key)).toBe(9);
    expect(await granted(limits, 9, child)).toBe(1);
  });

  test('queries the database in one statement for a hundred concurrent keys', async () => {
    const limits = process(10);
    const keys = Array.from({ length: 100 }, (_, index) => ({ ...key, lineage: `key_${index}` }));
    await Promise.all(keys.map((one) => granted(limits, 1, one)));
    expect(statements).toBeLessThanOrEqual(2);
  });

  test('counts all keys of a workspace against its quota, and takes nothing from it for a rejected request of a key (finding 5)', async () => {
    const limits = process(10, 25);
    const keys = Array.from({ length: 30 }, (_, index) => ({ ...key, lineage: `key_${index}` }));
    expect(await granted(limits, 500, keys[0])).toBe(10);
    const each = await Promise.all(keys.map((one) => granted(limits, 3, one)));
    expect(each.reduce((sum, one) => sum + one)).toBe(15);
    expect(await limits.take({ ...key, lineage: 'key_fresh' })).toMatchObject({
      exhausted: { name: 'workspace', quota: 25, remaining: 0 },
    });
    const elsewhere = { ...key, lineage: 'key_fresh', workspaceId: 'wsp_two' as WorkspaceId };
    expect(await limits.take(elsewhere)).toMatchObject({ exhausted: null });
  });
});

test('four processes grant a workspace together what one would, whichever of its keys are used', async () => {
  const processes = Array.from({ length: 4 }, () => process(PLENTY, 100));
  const keys = Array.from({ length: 12 }, (_, index) => ({ ...key, lineage: `key_${index}` }));
  const each = await Promise.all(processes.flatMap((limits) => keys.map((one) => granted(limits, 30, one))));
  expect(each.reduce((sum, one) => sum + one)).toBe(100);
});

test('four processes grant together what one would, all of it', async () => {
  const processes = [process(100), process(100), process(100), process(100)];
  const each = await Promise.all(processes.map((limits) => granted(limits, 200)));
  expect(each.reduce((sum, one) => sum + one)).toBe(100);
});

test('sixty processes that take small slices, and stop after a request each, leave most of a quota', async () => {
  for (let started = 0; started < 60; started += 1) {
    expect(await granted(process(600, PLENTY, 100), 1)).toBe(1);
  }
  expect(await granted(process(600, PLENTY, 100), 600)).toBeGreaterThan(200);
});

describe('while the shared count is unreachable', () => {
  test('each process grants the share of a few seconds, reports the fallback, and queries again', async () => {
    isAway = true;
    const limits = process(100);
    expect(await granted(limits, 200)).toBe(50);
    expect(statements).toBe(1);
    expect((await limits.take(key)).isShared).toBe(false);
    isAway = false;
    nowMs += 5000;
    expect(await limits.take(key)).toMatchObject({ isShared: true, exhausted: null });
    expect(errors).toHaveLength(1);
  });

  test('no request waits for a response longer than a second', async () => {
    counts = { add: () => new Promise(() => undefined) };
    const taken = process(100).take(key);
    // Timers of one process fire in the order of their due times, however busy the machine is.
    const later = new Promise((resolve) => setTimeout(() => resolve('too late'), 1100));
    expect(await Promise.race([taken, later])).toMatchObject({ isShared: false, exhausted: null });
  });
});
