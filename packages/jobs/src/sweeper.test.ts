import { expect, test } from '@jest/globals';
import { repeat } from './sweeper.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('sweeps again and again, never twice at once', async () => {
  let [turns, running, most] = [0, 0, 0];
  const sweeper = repeat(
    async () => {
      most = Math.max(most, ++running);
      await pause(15);
      running--;
      turns++;
    },
    5,
    () => undefined,
  );
  await pause(150);
  await sweeper.stop();
  expect(turns).toBeGreaterThan(2);
  expect(most).toBe(1);
  const before = turns;
  await pause(40);
  expect(turns).toBe(before);
});

test('a failure, also one that is thrown at once, is reported and the next turn comes', async () => {
  const errors: unknown[] = [];
  let turns = 0;
  const sweeper = repeat(
    () => {
      if (++turns === 1) throw new Error('at once');
      return turns === 2 ? Promise.reject(new Error('later')) : Promise.resolve();
    },
    2,
    (error) => errors.push((error as Error).message),
  );
  await pause(60);
  await sweeper.stop();
  expect(errors).toEqual(['at once', 'later']);
  expect(turns).toBeGreaterThan(2);
});

test('stopping lets what runs come to its end', async () => {
  let ended: boolean | undefined;
  const sweeper = repeat(
    async (stop) => {
      await pause(60);
      ended = !stop.aborted;
    },
    1,
    () => undefined,
  );
  await pause(20);
  await sweeper.stop(1000);
  expect(ended).toBe(true);
});

test('stopping asks what takes too long to give up', async () => {
  let gaveUp = false;
  const sweeper = repeat(
    (stop) =>
      new Promise<void>((resolve) => {
        stop.addEventListener('abort', () => {
          gaveUp = true;
          resolve();
        });
      }),
    1,
    () => undefined,
  );
  await pause(20);
  const beganMs = Date.now();
  await sweeper.stop(50);
  expect(gaveUp).toBe(true);
  expect(Date.now() - beganMs).toBeLessThan(1000);
});

test('stopping before the first turn sweeps nothing', async () => {
  let turns = 0;
  const sweeper = repeat(
    async () => void turns++,
    20,
    () => undefined,
  );
  await sweeper.stop();
  await pause(40);
  expect(turns).toBe(0);
});
