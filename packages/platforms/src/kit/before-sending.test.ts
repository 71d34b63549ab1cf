import { expect, test } from '@jest/globals';
import { refuse } from '@switchboard/domain';
import { unreadable } from './answers.js';
import { beforeSending } from './before-sending.js';

const acme = { name: 'Acme' };

test('before anything was sent, an answer that nobody can read leaves no doubt', () => {
  expect(beforeSending(acme, unreadable(acme, 'read'))).toMatchObject({
    ok: false,
    failure: { code: 'platform.unavailable', message: expect.stringContaining('Acme') },
  });
});

test('every other refusal stays what it is', () => {
  const refused = refuse('platform.refused', 'No.', { platform: { name: 'Acme', message: 'No.' } });
  expect(beforeSending(acme, refused)).toBe(refused);
});
