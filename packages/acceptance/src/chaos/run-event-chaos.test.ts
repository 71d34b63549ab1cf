import { expect, test } from '@jest/globals';
import { runEventChaos } from './run-event-chaos.js';

test('readers list each event once and in order while transactions stay open, roll back and lose their connections', async () => {
  const outcome = await runEventChaos({
    name: 'event_chaos',
    seed: 20_261_126,
    events: 1500,
    perSecond: 500,
    heldMaxMs: 1500,
    log: () => undefined,
  });
  expect(outcome.broken).toEqual([]);
  expect(outcome.events).toBeGreaterThanOrEqual(1500);
  expect(outcome.rolled_back).toBeGreaterThan(0);
  expect(outcome.longest_held_ms).toBeGreaterThan(500);
  for (const { listed } of outcome.readers) expect(listed).toBeGreaterThan(300);
});
