import { expect, test } from '@jest/globals';
import { runTokenChaos } from './run-token-chaos.js';

test('R06 to R08: one refresh per expiry over two processes, a paused worker costs no grant, and a kill loses no committed token', async () => {
  const outcome = await runTokenChaos({
    name: 'tokens',
    processes: 2,
    callers: 10,
    expiries: 4,
    pauses: 1,
    kills: 2,
    log: () => undefined,
  });
  expect(outcome.broken).toEqual([]);
  expect(outcome).toMatchObject({ refreshes: 4, refused: 0, failures: 0 });
  expect(outcome.recovered + outcome.lost).toBe(2);
});
