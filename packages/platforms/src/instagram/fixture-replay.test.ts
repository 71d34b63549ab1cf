import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';
import { pageLogin } from './connect-methods.js';

/** Bodies as Instagram documents them, including fields that the adapter does not read. */
const written = fixtureReplay(import.meta.dirname, '17841405822304914');
const jay = {
  id: '17841405309211844',
  username: 'jaysposts',
  name: 'Jay',
  avatarUrl: 'https://scontent-sjc3-1.xx.fbcdn.net/v/t51.2885-15/jaysposts.jpg',
  url: 'https://www.instagram.com/jaysposts/',
};
const sent = (edge: string) => written.forms(`/17841405822304914/${edge}`);
const jpeg = (altText: string | null = null) => imageOf({ type: 'image/jpeg', altText });

test('an account is read from the documented list, and from the object that is returned', async () => {
  await written.start('profile');
  const open = written.session();
  expect(await connecting.identify(open)).toEqual({
    ok: true,
    value: [
      {
        id: '17841405822304914',
        username: 'jaysposts',
        name: 'Jay',
        avatarUrl: 'https://scontent-sjc3-1.cdninstagram.com/v/t51.2885-19/jay.jpg',
        url: 'https://www.instagram.com/jaysposts/',
      },
    ],
  });
  expect(await connecting.identify(open)).toMatchObject({ value: [{ id: '9007199254740', name: null }] });
});

test('accounts are found at the pages that have one and on which content may be created, each with its page’s token', async () => {
  await written.start('pages');
  const session = { ...written.session(), connectMethod: pageLogin.id };
  const login = { ...session, account: { ...session.account, id: '' } };
  const found = await connecting.identify(login);
  const accounts = found.ok ? found.value : [];
  expect(
    accounts.map(({ credential, permissions: _permissions, ...account }) => [account, credential?.reveal()]),
  ).toEqual([
    [jay, 'EAACEdEoseJay'],
    [{ id: '17841405309211847', username: null, name: null, avatarUrl: null, url: null }, 'EAACEdEoseOwned'],
  ]);
  expect(accounts[0]?.permissions).toContain('instagram_manage_insights');
  expect(accounts[0]?.permissions).not.toContain('instagram_manage_comments');
  const [asked] = written.asked().filter(({ path }) => path.endsWith('/me/accounts'));
  expect(asked?.query.get('fields')).toBe(
    'id,instagram_business_account{id,username,name,profile_picture_url},tasks,access_token',
  );
  // Afterwards the page's token identifies the account, for as long as the page has one.
  expect(await connecting.identify(session)).toEqual({ ok: true, value: [jay] });
  expect(await connecting.identify(session)).toEqual({ ok: true, value: [] });
  expect(written.left()).toEqual([]);
});

test('a post is removed with the token of a page, and with Instagram’s own login no request is sent', async () => {
  await written.start('removed');
  const own = written.session();
  const page = { ...own, connectMethod: pageLogin.id };
  const removed = (open: Session, id: number) =>
    publishing.remove?.(open, { externalId: `1791892091234065${id}`, url: null, receipt: {} });
  expect(await removed(page, 4)).toEqual({ ok: true });
  // For an advertisement Meta returns a server error: it can never be removed.
  expect(await removed(page, 5)).toMatchObject({ failure: { code: 'platform.refused' } });
  expect(await removed(page, 6)).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  expect(written.left()).toEqual([]);
  const refused = await removed(own, 4);
  expect(refused).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  expect(refused?.ok === false && refused.failure.message).toContain('Facebook Page');
  expect(written.asked()).toHaveLength(3);
});

test('an image and a video are a carousel of two children, of which the image has alternative text', async () => {
  await written.start('carousel');
  const media = [jpeg('A cat'), videoOf({ altText: 'Waves' })] as const;
  const published = await publishing.publish(written.session(), buildItem('Look', { media }), discardReceipt);
  expect(published).toEqual({
    ok: true,
    value: {
      externalId: '17920238422030506',
      url: 'https://www.instagram.com/p/Cabcdefghij/',
      receipt: {},
    },
  });
  expect(written.left()).toEqual([]);
  expect(sent('media')).toEqual([
    { image_url: media[0].publicUrl(), alt_text: 'A cat', is_carousel_item: 'true' },
    { media_type: 'VIDEO', video_url: media[1].publicUrl(), is_carousel_item: 'true' },
    { media_type: 'CAROUSEL', children: '17889455560051441,17889455560051442', caption: 'Look' },
  ]);
  expect(sent('media_publish')).toEqual([{ creation_id: '17889455560051444' }]);
});

test('an image that is too large is refused with the message for users', async () => {
  await written.start('too-large');
  const item = buildItem('Look', { media: [jpeg()] });
  expect(await publishing.publish(written.session(), item, discardReceipt)).toMatchObject({
    failure: {
      code: 'platform.refused',
      platform: {
        code: '36000/2207004',
        message: 'The image is too large to download. It should be less than 8 MiB.',
      },
    },
  });
});

test('a post that is blocked as spam but live is found, and never published again', async () => {
  await written.start('blocked');
  let receipt: PublishItem['receipt'] = {};
  const item = buildItem('Look', { media: [jpeg()] });
  const open = written.session();
  const publish = () =>
    publishing.publish(open, { ...item, receipt }, async (stored) => void (receipt = stored));
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.outcome_unknown', platform: { code: '4/2207051' } },
  });
  expect(await publishing.find?.(open, { ...item, media: [], receipt })).toMatchObject({
    value: { externalId: '17920238422030506' },
  });
  // The list no longer shows it, and its container has the status published.
  expect(await publishing.find?.(open, { ...item, media: [], receipt })).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(sent('media_publish')).toHaveLength(1);
});

test('a story with few viewers does not affect the metrics of others, and one with the fewest metrics has those', async () => {
  await written.start('numbers');
  const ids = ['17920238422030506', '17920238422030509', '17920238422030510'];
  const read = await analytics.ofPosts(written.session(), ids);
  expect(read.ok && [...read.value]).toEqual([
    ['17920238422030506', { ...noMetrics, reach: 103, saves: 4 }],
    ['17920238422030509', noMetrics],
    ['17920238422030510', { ...noMetrics, views: 31, reach: 29 }],
  ]);
});

test('metrics are read, of a story those that it has; a missing value is null and a missing post is left out', async () => {
  await written.start('numbers');
  const open = written.session();
  const ids = ['17920238422030506', '17920238422030507', '17920238422030508'];
  const read = await analytics.ofPosts(open, ids);
  expect(read.ok && [...read.value]).toEqual([
    ['17920238422030506', { ...noMetrics, reach: 103, saves: 4 }],
    ['17920238422030507', { ...noMetrics, views: 20 }],
  ]);
  expect(await publishing.quotas?.(open)).toEqual({
    ok: true,
    value: [{ name: 'posts', used: 2, limit: 50, resetsAt: null, usedBy: ['post'] }],
  });
});
