import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import type { Session } from '@switchboard/domain/ports';
import { buildItem, trackReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { fetchCreator } from './creator.js';
import { getPostStatus } from './post-status.js';
import { publishing } from './publishing.js';

/** Bodies as TikTok documents them, including fields that the adapter does not read. */
const written = fixtureReplay(import.meta.dirname);
const start = async (name: string): Promise<Session> => {
  await written.start(name);
  const open = written.session();
  return { ...open, account: { ...open.account, username: 'tiktok' } };
};

test('an account is read with its name, if permitted, and with the maximum duration of its videos', async () => {
  const session = await start('account');
  const named = { ...session, grantedPermissions: ['user.info.basic', 'user.info.profile'] };
  expect(await connecting.identify(named)).toMatchObject({
    value: [
      {
        id: '723f24d7-e717-40f8-a2b6-cb8464cd23b4',
        username: 'tiktoker',
        name: 'Tik Toker',
        url: 'https://www.tiktok.com/@tiktoker',
        mediaLimits: { videos: { maxSeconds: 300 } },
      },
    ],
  });
  expect(written.asked()[0]?.query.get('fields')).toBe('open_id,display_name,avatar_url,username');
  expect(await analytics.ofAccount?.(session)).toEqual({ ok: true, value: { ...noMetrics, followers: 232 } });
});

test('photos are posted with text and URL, and have their own ID once TikTok reports it', async () => {
  const session = await start('photos');
  const [one, two] = [imageOf({ type: 'image/jpeg' }), imageOf({ type: 'image/jpeg' })];
  const options = { privacy_level: 'PUBLIC_TO_EVERYONE', disable_comment: true };
  const item = buildItem('A #funny photo', { title: 'Funny cat', media: [one, two], options });
  const { saveReceipt, again } = trackReceipt(item);
  const posted = await publishing.publish(session, item, saveReceipt);
  const part = { externalId: 'p_pub_url~v2.123456789', url: null, receipt: {} };
  expect(posted).toEqual({ ok: true, value: part });
  expect(again().receipt).toEqual({ publish_id: 'p_pub_url~v2.123456789', sent: 'yes' });
  expect(written.asked()[1]?.body).toEqual({
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: {
      title: 'Funny cat',
      description: 'A #funny photo',
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_comment: true,
      auto_add_music: false,
      brand_content_toggle: false,
      brand_organic_toggle: false,
    },
    source_info: {
      source: 'PULL_FROM_URL',
      photo_cover_index: 0,
      photo_images: [one.publicUrl(), two.publicUrl()],
    },
  });
  expect(await publishing.resolvePublishedUrl?.(session, part)).toEqual({
    ok: true,
    value: {
      externalId: '7678907398077074696',
      url: 'https://www.tiktok.com/@tiktok/photo/7678907398077074696',
      receipt: {},
    },
  });
});

test('the reason of a failed post is read, and that TikTok does not know a post', async () => {
  const session = await start('failed');
  expect(await getPostStatus(session, 'v_pub_file~v2-1.123456789')).toEqual({
    ok: true,
    value: { state: 'failed', reason: 'picture_size_check_failed' },
  });
  expect(await getPostStatus(session, 'v_pub_file~v2-1.123456789')).toEqual({ ok: true, value: null });
});

test('refusals are distinguished, also those inside a success and those with the same status', async () => {
  const session = await start('barred');
  const codes: unknown[] = [];
  for (let at = 0; at < 5; at++) {
    const result = await fetchCreator(session);
    codes.push(result.ok ? 'ok' : result.failure.code);
  }
  expect(codes).toEqual([
    'platform.rate_limited',
    'platform.refused',
    'platform.permission_missing',
    'connection.needs_reauth',
    'platform.unavailable',
  ]);
});

test('missing metrics are null', async () => {
  const session = await start('numbers');
  const read = await analytics.ofPosts(session, ['7080217258529732386', '7080217258529732387']);
  expect(read.ok && [...read.value]).toEqual([
    ['7080217258529732386', { ...noMetrics, views: 904, likes: 21, comments: 0, shares: 5 }],
    ['7080217258529732387', { ...noMetrics, views: 70, likes: 3 }],
  ]);
});

test('finding 33: the account’s permissions are requested with the content type that TikTok requires', async () => {
  const session = await start('account');
  expect(await fetchCreator(session)).toMatchObject({ ok: true });
  const [asked] = written.asked().filter(({ path }) => path.includes('creator_info'));
  expect(asked?.headers['content-type']).toBe('application/json; charset=UTF-8');
  expect(asked?.body).toEqual({});
});
