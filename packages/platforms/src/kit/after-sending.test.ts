import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { afterSending } from './after-sending.js';

const dialect = { name: 'Films' };

test.each([
  'platform.unavailable',
  'platform.rate_limited',
  'platform.permission_missing',
  'platform.invalid_response',
  'connection.needs_reauth',
] as const)('%s is a doubt about what was taken', (code) => {
  const platform = { name: 'Films', message: 'Later.' };
  expect(afterSending(dialect, refuse(code, 'No.', { platform }))).toMatchObject({
    failure: { code: 'platform.outcome_unknown', platform },
  });
});

test('what came of it, and a refusal of it, are certain', () => {
  const no = refuse('platform.refused', 'No.');
  expect(afterSending(dialect, no)).toBe(no);
  expect(afterSending(dialect, ok('out'))).toEqual(ok('out'));
});
