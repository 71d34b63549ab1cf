import { expect, test } from '@jest/globals';
import { interpretOutcome } from './interpret-outcome.js';

test.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'x-rate-limit-time-reset-ms': '12001' }, 13],
  [{}, 60],
])(
  'a platform that rejects temporarily with %j is retried after its Retry-After',
  (headers, retryAfterSeconds) => {
    const answered = { kind: 'answered', status: 429, headers, body: new Uint8Array() } as const;
    expect(interpretOutcome(answered, { effect: 'read' }, 'Acme', new Date(0))).toMatchObject({
      failure: { code: 'platform.rate_limited', retryAfterSeconds },
    });
  },
);
