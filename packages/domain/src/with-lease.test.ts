import { describe, expect, test } from '@jest/globals';
import { createLeaseHandle, LEASE_SECONDS, withLease } from './with-lease.js';

const BEAT_MS = 30;
const never = new AbortController().signal;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));

/** A lease whose extensions answer what the test says, in turn, and then that it is still held. */
function leaseOf(...answers: (() => Promise<boolean>)[]) {
  const asked: number[] = [];
  const extend = async () => {
    asked.push(performance.now());
    return (answers.shift() ?? (async () => true))();
  };
  return { asked, extend };
}
const held = async () => true;
const taken = async () => false;
const away = async () => Promise.reject(new Error('the database is away'));
const silent = () => new Promise<never>(() => undefined);

test('work that ends quickly extends nothing, also not afterwards', async () => {
  const lease = leaseOf();
  expect(await withLease(lease, never, 1000, async () => 'done', BEAT_MS)).toBe('done');
  await pause(3 * BEAT_MS);
  expect(lease.asked).toEqual([]);
});

test('work that goes on is held again and again, until it ends', async () => {
  const lease = leaseOf();
  const aborted = await withLease(
    lease,
    never,
    10_000,
    async (signal) => {
      await pause(12 * BEAT_MS);
      return signal.aborted;
    },
    BEAT_MS,
  );
  const beats = lease.asked.length;
  expect({ aborted, enough: beats >= 3 }).toEqual({ aborted: false, enough: true });
  await pause(3 * BEAT_MS);
  expect(lease.asked).toHaveLength(beats);
});

test('a lease that somebody else has taken aborts the work at the next beat', async () => {
  const lease = leaseOf(held, taken);
  expect(await withLease(lease, never, 10_000, untilAborted, BEAT_MS)).toBe('aborted');
  expect(lease.asked).toHaveLength(2);
});

test.each([
  ['throws', away],
  ['says nothing', silent],
])(
  'a database that %s for as long as a lease lasts aborts the work, since nobody knows whose it is',
  async (_, answer) => {
    const lease = leaseOf(held, answer, answer, answer);
    const beganMs = performance.now();
    await withLease(lease, never, 10_000, untilAborted, BEAT_MS);
    const sinceHeldMs = performance.now() - (lease.asked[0] ?? beganMs);
    expect(lease.asked).toHaveLength(4);
    // Not at the first silence: a lease is four beats long.
    expect(sinceHeldMs).toBeGreaterThan(3 * BEAT_MS);
  },
);

test('a database that was away for a moment costs nothing', async () => {
  const lease = leaseOf(away, away, held, away, away);
  const work = (signal: AbortSignal) =>
    Promise.race([untilAborted(signal), pause(12 * BEAT_MS).then(() => 'done')]);
  expect(await withLease(lease, never, 10_000, work, BEAT_MS)).toBe('done');
  expect(lease.asked.length).toBeGreaterThan(4);
});

test('the limit aborts, and so does whoever wants it to stop', async () => {
  const stop = new AbortController();
  expect(await withLease(leaseOf(), never, 20, untilAborted, BEAT_MS)).toBe('aborted');
  setTimeout(() => stop.abort(), 5);
  expect(await withLease(leaseOf(), stop.signal, 10_000, untilAborted, BEAT_MS)).toBe('aborted');
});

describe('what a process knows of its own lease by the clock alone', () => {
  const scene = (...answers: boolean[]) => {
    let now = new Date('2026-12-01T12:00:00Z');
    const hold = createLeaseHandle({ now: () => now }, now, async () => answers.shift() ?? true);
    return { ...hold, pass: (seconds: number) => void (now = new Date(now.getTime() + seconds * 1000)) };
  };

  test('it ends when its time is over, whoever was asleep meanwhile', () => {
    const it = scene();
    it.pass(LEASE_SECONDS - 1);
    expect(it.isHeld()).toBe(true);
    it.pass(1);
    expect(it.isHeld()).toBe(false);
  });

  test('an extension counts from when it was asked for', async () => {
    const it = scene();
    it.pass(LEASE_SECONDS - 1);
    await it.extend();
    it.pass(LEASE_SECONDS - 1);
    expect(it.isHeld()).toBe(true);
    it.pass(1);
    expect(it.isHeld()).toBe(false);
  });

  test('it is over at once when somebody else has it', async () => {
    const it = scene(false);
    await it.extend();
    expect(it.isHeld()).toBe(false);
  });
});
