import { expect, test } from '@jest/globals';
import { presentError } from './error-shape.js';

test.each([
  ['platform.refused', false, 'caller'],
  ['platform.permission_missing', false, 'account_owner'],
  ['platform.unavailable', true, 'platform'],
  ['media.lost', false, 'operator'],
  ['read_back.absent', true, 'caller'],
  ['delivery.not_published', true, 'caller'],
])(
  'an error stored as %s reports whether a retry helps later, and who can fix it',
  (code, retryable, who) => {
    const facts = { code, message: 'It failed.', retryable, who_can_fix: who };
    expect(presentError({ code, message: facts.message })).toEqual(facts);
    const platform = { name: 'Bluesky', message: 'No.' };
    expect(presentError({ code, message: facts.message, platform })).toEqual({ ...facts, platform });
  },
);
