import { expect, test } from '@jest/globals';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';

/** Bodies as Telegram documents them, including fields that the adapter does not read. */
const telegram = fixtureReplay(import.meta.dirname, '-1001234567890');

test('a channel is identified by its ID, its name and its link', async () => {
  await telegram.start('channel');
  expect(await connecting.identify(telegram.session())).toEqual({
    ok: true,
    value: [
      {
        id: '-1001234567890',
        username: 'kilnnews',
        name: 'Kiln News',
        avatarUrl: null,
        url: 'https://t.me/kilnnews',
      },
    ],
  });
});

test('an album is the post of all its messages, which are deleted one by one', async () => {
  await telegram.start('album');
  const session = telegram.session();
  const media = [imageOf(), imageOf()];
  const sent = await publishing.publish(session, buildItem('Two bowls', { media }), discardReceipt);
  if (!sent.ok) throw new Error(sent.failure.message);
  expect(sent.value).toEqual({
    externalId: '417',
    url: 'https://t.me/kilnnews/417',
    receipt: { chat: '-1001234567890', messages: '417,418' },
  });
  // The second is already gone.
  expect(await publishing.remove?.(session, sent.value)).toMatchObject({ ok: true });
  const deletions = telegram.asked().filter(({ path }) => path.endsWith('/deleteMessage'));
  expect(deletions.map(({ body }) => body)).toEqual([
    { chat_id: '-1001234567890', message_id: 417 },
    { chat_id: '-1001234567890', message_id: 418 },
  ]);
  expect(await publishing.remove?.(session, sent.value)).toMatchObject({
    failure: { code: 'platform.refused', platform: { message: "Bad Request: message can't be deleted" } },
  });
});

test('refusals are distinguished: a missing right, a missing chat, an invalid field, an invalid token', async () => {
  await telegram.start('refused');
  const session = telegram.session();
  const code = async () => {
    const sent = await publishing.publish(session, buildItem('Hello'), discardReceipt);
    return sent.ok ? 'ok' : sent.failure.code;
  };
  expect([await code(), await code(), await code(), await code()]).toEqual([
    ...['platform.permission_missing', 'platform.permission_missing'],
    ...['platform.refused', 'connection.needs_reauth'],
  ]);
});
