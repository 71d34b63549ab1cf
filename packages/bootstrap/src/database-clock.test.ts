import { afterAll, expect, jest, test } from '@jest/globals';
import { openDatabase } from '@switchboard/persistence';
import { testDatabase } from '@switchboard/persistence/testing';
import { databaseClock, type DatabaseClock } from './database-clock.js';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-03-02T09:00:00Z');
/** A `Date` has whole milliseconds. */
const ROUNDING_MS = 1;

const opened: DatabaseClock[] = [];
afterAll(() => opened.forEach(({ stop }) => stop()));

/** A database whose clock and response times the test controls, on a machine whose clock is wrong. */
async function setupClock(everyMs = 5) {
  const state = { databaseMs: START_MS, elapsedMs: 1_000_000, roundTripMs: 0, away: false };
  const errors: unknown[] = [];
  const following = await databaseClock({
    async readDatabaseMs() {
      if (state.away) throw new Error('the database is unreachable');
      state.elapsedMs += state.roundTripMs;
      state.databaseMs += state.roundTripMs;
      return state.databaseMs - state.roundTripMs / 2;
    },
    elapsedMs: () => state.elapsedMs,
    onError: (error) => errors.push(error),
    syncIntervalMs: everyMs,
  });
  opened.push(following);
  const asked = () => new Promise((resolve) => setTimeout(resolve, 40));
  return {
    ...following,
    state,
    errors,
    asked,
    pass: (ms: number) => void ((state.elapsedMs += ms), (state.databaseMs += ms)),
  };
}

test('returns the time of the database, also between two queries', async () => {
  const { clock, pass } = await setupClock(HOUR_MS);
  expect(clock.now()).toEqual(new Date(START_MS));
  pass(1500);
  expect(clock.now()).toEqual(new Date(START_MS + 1500));
  expect(clock.after(-500)).toEqual(new Date(START_MS + 1000));
});

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'is unaffected when the clock of this machine jumps by %d ms',
  async (jump) => {
    const { clock } = await setupClock(HOUR_MS);
    const real = Date.now;
    const wall = jest.spyOn(Date, 'now').mockImplementation(() => real() + jump);
    expect(clock.now()).toEqual(new Date(START_MS));
    wall.mockRestore();
  },
);

test('sleeps for the given time, or until the signal aborts', async () => {
  const { clock } = await setupClock(HOUR_MS);
  const sleepMs = async (ms: number, signal?: AbortSignal) => {
    const startedMs = performance.now();
    await clock.sleep(ms, signal);
    return performance.now() - startedMs;
  };
  const stop = new AbortController();
  expect(await sleepMs(50, stop.signal)).toBeGreaterThanOrEqual(50 - ROUNDING_MS);
  const interrupted = sleepMs(HOUR_MS, stop.signal);
  stop.abort();
  expect(await interrupted).toBeLessThan(HOUR_MS / 100);
  expect(await sleepMs(HOUR_MS, stop.signal)).toBeLessThan(HOUR_MS / 100);
});

test('follows a correction of the database clock', async () => {
  const { clock, state, asked } = await setupClock();
  state.databaseMs += 90_000;
  await asked();
  expect(clock.now()).toEqual(new Date(START_MS + 90_000));
});

test('stays unchanged while a slow response does not contradict it', async () => {
  const { clock, state, asked } = await setupClock();
  const before = clock.now().getTime() - state.elapsedMs;
  state.roundTripMs = 300;
  await asked();
  expect(clock.now().getTime() - state.elapsedMs).toBe(before);
});

test('continues while the database is unreachable, and reports the failure', async () => {
  const { clock, state, errors, asked, pass } = await setupClock();
  state.away = true;
  await asked();
  pass(7000);
  expect(clock.now()).toEqual(new Date(START_MS + 7000));
  expect(errors.length).toBeGreaterThan(0);
});

test('agrees with PostgreSQL to within the duration of a query', async () => {
  const { nowMs: ask, close } = openDatabase(await testDatabase('clock'), { max: 1 });
  let queryMs = NaN;
  const following = await databaseClock({
    async readDatabaseMs() {
      const beganMs = performance.now();
      const databaseMs = await ask();
      queryMs = performance.now() - beganMs;
      return databaseMs;
    },
    elapsedMs: () => performance.now(),
    onError: () => undefined,
    syncIntervalMs: HOUR_MS,
  });
  opened.push(following);
  const before = following.clock.now().getTime();
  const databaseMs = await ask();
  const after = following.clock.now().getTime();
  await close();
  expect(databaseMs).toBeGreaterThanOrEqual(before - queryMs);
  expect(databaseMs).toBeLessThanOrEqual(after + queryMs + ROUNDING_MS);
});
