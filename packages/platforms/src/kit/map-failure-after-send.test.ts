import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { mapFailureAfterSend, mapReadFailureAfterSend } from './map-failure-after-send.js';

const errorMapping = { name: 'Films' };

test.each([
  'platform.unavailable',
  'platform.rate_limited',
  'platform.permission_missing',
  'platform.invalid_response',
  'connection.needs_reauth',
] as const)('%s leaves the outcome unknown after the platform accepted the item', (code) => {
  const platform = { name: 'Films', message: 'Later.' };
  expect(mapFailureAfterSend(errorMapping, refuse(code, 'No.', { platform }))).toMatchObject({
    failure: { code: 'platform.outcome_unknown', platform },
  });
});

test('a reported outcome and a refusal of the item are certain', () => {
  const no = refuse('platform.refused', 'No.');
  expect(mapFailureAfterSend(errorMapping, no)).toBe(no);
  expect(mapFailureAfterSend(errorMapping, ok('out'))).toEqual(ok('out'));
});

test('a refused read of the state is not a refusal of the item', () => {
  expect(mapReadFailureAfterSend(errorMapping, refuse('platform.refused', 'No.'))).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
});
