import { expect, test } from '@jest/globals';
import pino from 'pino';
import { Registry } from 'prom-client';
import { outboundWatch } from './outbound-watch.js';

test('counts a request that an open circuit breaker refused under its documented label', async () => {
  const registry = new Registry();
  const watch = outboundWatch(registry, pino({ level: 'silent' }));
  const outcome = { kind: 'not_sent', reason: 'circuit_open', retryAfterSeconds: 10 } as const;
  watch.onRequest({
    platform: 'bluesky',
    method: 'GET',
    origin: 'https://bsky.example',
    outcome,
    durationMs: 1,
  });
  expect(await registry.metrics()).toContain('{platform="bluesky",outcome="not_sent_resting"} 1');
});
