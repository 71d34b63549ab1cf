import { expect, test } from '@jest/globals';
import { movableClock } from '../testing/movable-clock.js';
import { readUntil } from './read-until.js';

const never = new AbortController().signal;

/** An object that changes whenever its watch is waited for, and the order of everything that happens. */
function changingObject(values: readonly (string | null)[]) {
  const clock = movableClock();
  const log: string[] = [];
  const left = [...values];
  const changes = {
    watch: (id: string) => {
      log.push(`watch ${id}`);
      return {
        next: async (timeoutMs: number) => {
          log.push('next');
          await clock.sleep(Math.min(100, timeoutMs));
        },
        close: () => void log.push('close'),
      };
    },
  };
  const read = async () => {
    const value = left.length > 1 ? left.shift() : left[0];
    log.push(`read ${value}`);
    return value ?? null;
  };
  const until = (waitMs: number, signal = never) =>
    readUntil({ clock, changes }, 'obj', read, (value) => value === 'done', { waitMs, signal });
  return { clock, log, until };
}

test('the watch is open before the first read, and closed at the end', async () => {
  const it = changingObject(['new', 'done']);
  expect(await it.until(1000)).toBe('done');
  expect(it.log).toEqual(['watch obj', 'read new', 'next', 'read done', 'close']);
});

test('a value that is reached already is read once', async () => {
  const it = changingObject(['done']);
  expect(await it.until(1000)).toBe('done');
  expect(it.log).toEqual(['watch obj', 'read done', 'close']);
});

test('the wait ends after its time with the value as last read', async () => {
  const it = changingObject(['new', 'later']);
  const beganMs = it.clock.now().getTime();
  expect(await it.until(1000)).toBe('later');
  const tookMs = it.clock.now().getTime() - beganMs;
  expect([tookMs >= 1000, tookMs < 1200]).toEqual([true, true]);
});

test('the wait ends when the signal aborts, and when the object can no longer be read', async () => {
  const aborted = changingObject(['new']);
  expect(await aborted.until(1000, AbortSignal.abort())).toBe('new');
  const deleted = changingObject(['new', null]);
  expect(await deleted.until(1000)).toBeNull();
  expect([aborted.log.at(-1), deleted.log.at(-1)]).toEqual(['close', 'close']);
});

test('a read that throws closes the watch', async () => {
  const it = changingObject(['new']);
  const failing = readUntil(
    {
      clock: it.clock,
      changes: { watch: () => ({ next: async () => undefined, close: () => void it.log.push('close') }) },
    },
    'obj',
    () => Promise.reject(new Error('the database is unavailable')),
    () => true,
    { waitMs: 1000, signal: never },
  );
  await expect(failing).rejects.toThrow('the database is unavailable');
  expect(it.log).toEqual(['close']);
});
