import { expect, test } from '@jest/globals';
import { runWebhookChaos } from './run-webhook-chaos.js';

test('events reach every endpoint, signed and in a recoverable order, while workers are killed and a fifth of the requests fails', async () => {
  const outcome = await runWebhookChaos({
    name: 'webhook_chaos',
    events: 300,
    endpoints: 3,
    workers: 2,
    killEveryMs: 2000,
    log: () => undefined,
  });
  expect(outcome.broken).toEqual([]);
  expect(outcome.kills).toBeGreaterThan(0);
  expect(outcome.requests).toBeGreaterThan(900);
  expect(outcome.refused).toBeGreaterThan(0);
});
