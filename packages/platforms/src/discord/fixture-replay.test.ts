import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { WEBHOOK } from './manifest.js';
import { publishing } from './publishing.js';

/** Bodies as Discord documents them, including fields that the adapter does not read. */
const CHANNEL = '290926798999357250';
const discord = fixtureReplay(import.meta.dirname, CHANNEL);
const asWebhook = () => ({
  ...discord.session(),
  subject: '223704706495545344',
  grantedPermissions: [WEBHOOK],
});

test('a channel is identified by its name and its server', async () => {
  await discord.start('bot-channel');
  expect(await connecting.identify(discord.session())).toEqual({
    ok: true,
    value: [
      {
        id: CHANNEL,
        username: null,
        name: '#news',
        avatarUrl: null,
        permissions: ['bot'],
        url: 'https://discord.com/channels/290926798626357999/290926798999357250',
      },
    ],
  });
});

test('a message is recognized by its author, its text and what it replies to', async () => {
  await discord.start('own-messages');
  const stated = buildItem('Two bowls', { link: 'https://kiln.example/bowls' });
  const find = async (item: typeof stated) => publishing.find?.(discord.session(), item);
  expect(await find(stated)).toMatchObject({ ok: true, value: { externalId: '1441371320754176000' } });
  const parent = { externalId: '1441371320754176000', url: null, receipt: {} };
  const below = { ...stated, replyTo: { root: parent, parent } };
  expect(await find(below)).toMatchObject({ ok: true, value: { externalId: '1441371333337088000' } });
  for (const other of [
    buildItem('Three bowls'),
    { ...stated, mediaCount: 1 },
    { ...stated, createdAt: new Date('2026-11-21T12:00:06Z') },
  ]) {
    expect(await find(other)).toEqual({ ok: true, value: null });
  }
});

test('every reaction counts, no reactions are zero, and a missing message has no metrics', async () => {
  await discord.start('numbers');
  const ids = ['1441371320754176000', '1441371320754176999', '1441371320754170000'];
  const read = await analytics.ofPosts(discord.session(), ids);
  if (!read.ok) throw new Error(read.failure.message);
  expect([...read.value]).toEqual([
    ['1441371320754176000', { ...noMetrics, likes: 4 }],
    ['1441371320754176999', { ...noMetrics, likes: 0 }],
  ]);
});

test('refusals are distinguished: a field, a permission, a channel that cannot be seen, moderation, no channel', async () => {
  await discord.start('refused');
  const session = discord.session();
  const publish = () => publishing.publish(session, buildItem('Hello'), discardReceipt);
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { message: 'Must be 2000 or fewer in length.' } },
  });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.refused' } });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.refused' } });
});

test('a webhook reports its channel, deletes its own messages, and is revoked when it is deleted', async () => {
  await discord.start('webhook');
  const session = asWebhook();
  const found = await connecting.identify(session);
  expect(found).toMatchObject({
    value: [
      {
        id: '199737254929760256',
        name: 'Kiln News',
        permissions: [WEBHOOK],
        url: 'https://discord.com/channels/199737254929760257/199737254929760256',
      },
    ],
  });
  expect(JSON.stringify(found)).not.toContain('3d89bb7572e0fb30');
  const part = { externalId: '1441371320754176000', url: null, receipt: {} };
  expect(await publishing.remove?.(session, part)).toMatchObject({ ok: true });
  expect(await publishing.remove?.(session, part)).toMatchObject({ ok: true });
  expect(await publishing.remove?.(session, part)).toMatchObject({
    failure: { code: 'connection.needs_reauth' },
  });
});
