import { expect, test } from '@jest/globals';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { connecting } from './connecting.js';
import { otherBaseUrls } from './manifest.js';
import { publishing } from './publishing.js';

/** Bodies as Google documents them, or as others observed them (NOTES.md). */
const origins = Object.values(otherBaseUrls);
const login = fixtureReplay(import.meta.dirname, '', origins);
const location = fixtureReplay(import.meta.dirname, 'accounts/88/locations/777', origins);

test('a login opens the locations of all its accounts, each once and with its address', async () => {
  await login.start('accounts');
  const found = await connecting.identify(login.session());
  expect(found).toEqual({
    ok: true,
    value: [
      {
        id: 'accounts/88/locations/12345678901234567890',
        username: null,
        name: 'Kiln & Co (Carrer del Forn, 1, Barcelona)',
        avatarUrl: null,
        url: 'https://maps.google.com/maps?cid=123',
      },
      { id: 'accounts/88/locations/777', username: null, name: null, avatarUrl: null, url: null },
    ],
  });
  expect(login.left()).toEqual([]);
  const [, second, , , third] = login.asked();
  expect(second?.query.get('pageToken')).toBe('AF1Qip');
  expect(third?.query.get('readMask')).toBe('name,title,storefrontAddress,metadata');
});

test('the errors of Google reach the caller, and a post that it rejects at once is none', async () => {
  await location.start('refused');
  const session = location.session();
  const publish = async () => publishing.publish(session, buildItem('Call 555 0100'), discardReceipt);
  expect(await publish()).toMatchObject({
    failure: {
      code: 'platform.refused',
      platform: { code: 'INVALID_ARGUMENT', message: 'Fetching image failed.' },
    },
  });
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: 'SERVICE_DISABLED' } },
  });
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: 'REJECTED' } },
  });
});
