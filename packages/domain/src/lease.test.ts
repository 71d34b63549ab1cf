import { describe, expect, test } from '@jest/globals';
import { memoryPorts } from '../testing/memory/memory-ports.js';
import { createLeaseHandle, LEASE_SECONDS, withLease } from './lease.js';

const BEAT_MS = 30;
const never = new AbortController().signal;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));

/** A lease whose extensions return the given results in turn, and then that it is still held. */
function leaseOf(...answers: (() => Promise<boolean>)[]) {
  const asked: number[] = [];
  const extend = async () => {
    asked.push(performance.now());
    return (answers.shift() ?? (async () => true))();
  };
  return { asked, extend };
}
/** Resolves after this number of attempts to extend it. */
async function extended(lease: ReturnType<typeof leaseOf>, times: number): Promise<void> {
  while (lease.asked.length < times) await pause(BEAT_MS / 6);
}
const held = async () => true;
const taken = async () => false;
const away = async () => Promise.reject(new Error('the database is unavailable'));
const silent = () => new Promise<never>(() => undefined);

test('work that ends quickly extends nothing, also not afterwards', async () => {
  const lease = leaseOf();
  expect(await withLease(lease, never, 1000, async () => 'done', BEAT_MS)).toBe('done');
  await pause(3 * BEAT_MS);
  expect(lease.asked).toEqual([]);
});

test('work that continues extends the lease repeatedly, until it ends', async () => {
  const lease = leaseOf();
  const aborted = await withLease(
    lease,
    never,
    600_000,
    async (signal) => {
      await extended(lease, 3);
      return signal.aborted;
    },
    BEAT_MS,
  );
  const beats = lease.asked.length;
  expect(aborted).toBe(false);
  await pause(3 * BEAT_MS);
  expect(lease.asked).toHaveLength(beats);
});

test('a lease that another process has taken aborts the work at the next heartbeat', async () => {
  const lease = leaseOf(held, taken);
  expect(await withLease(lease, never, 600_000, untilAborted, BEAT_MS)).toBe('aborted');
  expect(lease.asked).toHaveLength(2);
});

test.each([
  ['throws', away],
  ['does not respond', silent],
])(
  'a database that %s for the duration of a lease aborts the work, because the owner is unknown',
  async (_, answer) => {
    const lease = leaseOf(held, answer, answer, answer);
    const beganMs = performance.now();
    await withLease(lease, never, 600_000, untilAborted, BEAT_MS);
    const sinceHeldMs = performance.now() - (lease.asked[0] ?? beganMs);
    expect(lease.asked).toHaveLength(4);
    // Not after the first missed heartbeat: a lease lasts four of them.
    expect(sinceHeldMs).toBeGreaterThan(3 * BEAT_MS);
  },
);

test('a short outage of the database has no effect', async () => {
  const lease = leaseOf(away, away, held, away, away);
  const work = (signal: AbortSignal) =>
    Promise.race([untilAborted(signal), extended(lease, 6).then(() => 'done')]);
  expect(await withLease(lease, never, 600_000, work, BEAT_MS)).toBe('done');
});

test('the time limit aborts, and so does the stop signal', async () => {
  const stop = new AbortController();
  expect(await withLease(leaseOf(), never, 20, untilAborted, BEAT_MS)).toBe('aborted');
  setTimeout(() => stop.abort(), 5);
  expect(await withLease(leaseOf(), stop.signal, 600_000, untilAborted, BEAT_MS)).toBe('aborted');
});

describe('a lease that a process checks by the clock alone', () => {
  const scene = (...answers: boolean[]) => {
    const { clock, transactions } = memoryPorts();
    const hold = createLeaseHandle({ clock, transactions }, clock.now(), async () => answers.shift() ?? true);
    return { ...hold, pass: (seconds: number) => clock.advance(seconds * 1000) };
  };

  test('ends when its time is over, also after a suspension of the process', () => {
    const it = scene();
    it.pass(LEASE_SECONDS - 1);
    expect(it.isHeld()).toBe(true);
    it.pass(1);
    expect(it.isHeld()).toBe(false);
  });

  test('is extended from the time of the request', async () => {
    const it = scene();
    it.pass(LEASE_SECONDS - 1);
    await it.extend();
    it.pass(LEASE_SECONDS - 1);
    expect(it.isHeld()).toBe(true);
    it.pass(1);
    expect(it.isHeld()).toBe(false);
  });

  test('ends at once when another process has it', async () => {
    const it = scene(false);
    await it.extend();
    expect(it.isHeld()).toBe(false);
  });
});
