import { expect, test } from '@jest/globals';
import { refuse } from '@switchboard/domain';
import { mapFailureAfterSend } from './map-failure-after-send.js';

test.each([
  'platform.unavailable',
  'platform.rate_limited',
  'platform.permission_missing',
  'platform.refused',
  'platform.invalid_response',
  'connection.needs_reauth',
] as const)('%s leaves the outcome unknown after the platform accepted the item', (code) => {
  const platform = { name: 'Videos', message: 'Later.' };
  const failed = refuse(code, 'No.', { platform, retryAfterSeconds: 7 });
  expect(mapFailureAfterSend({ name: 'Videos' }, failed)).toMatchObject({
    failure: { code: 'platform.outcome_unknown', platform, retryAfterSeconds: 7 },
  });
});
