import { expect, test } from '@jest/globals';
import { runPeriodically } from './run-periodically.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Polls without a deadline, for slow machines. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

test('sweeps repeatedly, never concurrently', async () => {
  let [turns, running, most] = [0, 0, 0];
  const sweeper = runPeriodically(
    async () => {
      most = Math.max(most, ++running);
      await pause(15);
      running--;
      turns++;
    },
    5,
    () => undefined,
  );
  await until(() => turns > 2);
  await sweeper.stop();
  expect(most).toBe(1);
  const before = turns;
  await pause(40);
  expect(turns).toBe(before);
});

test('a failure, including a synchronous exception, is reported and the next sweep runs', async () => {
  const errors: unknown[] = [];
  let turns = 0;
  const sweeper = runPeriodically(
    () => {
      if (++turns === 1) throw new Error('at once');
      return turns === 2 ? Promise.reject(new Error('later')) : Promise.resolve();
    },
    2,
    (error) => errors.push((error as Error).message),
  );
  await until(() => turns > 2);
  await sweeper.stop();
  expect(errors).toEqual(['at once', 'later']);
});

test('stopping lets a running sweep complete', async () => {
  let began = false;
  let ended: boolean | undefined;
  const sweeper = runPeriodically(
    async (stop) => {
      began = true;
      await pause(60);
      ended = !stop.aborted;
    },
    1,
    () => undefined,
  );
  await until(() => began);
  await sweeper.stop(1000);
  expect(ended).toBe(true);
});

test('stopping aborts a sweep that takes too long', async () => {
  let [began, gaveUp] = [false, false];
  const sweeper = runPeriodically(
    (stop) =>
      new Promise<void>((resolve) => {
        began = true;
        stop.addEventListener('abort', () => {
          gaveUp = true;
          resolve();
        });
      }),
    1,
    () => undefined,
  );
  await until(() => began);
  // Timers of one process fire in the order of their due times, however busy the machine is.
  const later = pause(1000).then(() => 'a second has passed');
  expect(await Promise.race([sweeper.stop(50), later])).toBeUndefined();
  expect(gaveUp).toBe(true);
});

test('stopping before the first sweep runs none', async () => {
  let turns = 0;
  const sweeper = runPeriodically(
    async () => void turns++,
    20,
    () => undefined,
  );
  await sweeper.stop();
  await pause(40);
  expect(turns).toBe(0);
});

test('a sweep that is woken runs at once, and again after the one that was running', async () => {
  let [turns, running, most] = [0, 0, 0];
  let finish = () => {};
  const sweeper = runPeriodically(
    async () => {
      most = Math.max(most, ++running);
      turns++;
      await new Promise<void>((resolve) => (finish = resolve));
      running--;
    },
    3_600_000,
    () => undefined,
  );
  expect(turns).toBe(0);
  sweeper.wake();
  await until(() => turns === 1);
  for (let count = 0; count < 3; count++) sweeper.wake();
  finish();
  await until(() => turns === 2);
  finish();
  await pause(20);
  expect([turns, most]).toEqual([2, 1]);
  await sweeper.stop();
  sweeper.wake();
  await pause(20);
  expect(turns).toBe(2);
});
