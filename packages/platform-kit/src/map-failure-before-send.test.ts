import { expect, test } from '@jest/globals';
import { refuse } from '@switchboard/domain';
import { unreadableResponse } from './platform-client.js';
import { mapFailureBeforeSend } from './map-failure-before-send.js';

const acme = { name: 'Acme' };

test('before anything was sent, an invalid response leaves no doubt', () => {
  expect(mapFailureBeforeSend(acme, unreadableResponse(acme, 'read'))).toMatchObject({
    ok: false,
    failure: { code: 'platform.unavailable', message: expect.stringContaining('Acme') },
  });
});

test('every other refusal is kept', () => {
  const refused = refuse('platform.refused', 'No.', { platform: { name: 'Acme', message: 'No.' } });
  expect(mapFailureBeforeSend(acme, refused)).toBe(refused);
});
