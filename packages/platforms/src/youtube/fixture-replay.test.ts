import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { videoOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';

/** Bodies as Google documents them, including fields that the adapter does not read. */
const google = fixtureReplay(import.meta.dirname, undefined, [manifest.analyticsBaseUrl]);

test('a channel is read, with its subscribers unless it hides them', async () => {
  await google.start('own-channel');
  const session = google.session();
  expect(await connecting.identify(session)).toEqual({
    ok: true,
    value: [
      {
        id: 'UCq3bX9t0m2Zr5LkW7vYdE1g',
        username: '@kilnandco',
        name: 'Kiln & Co',
        avatarUrl: 'https://yt3.ggpht.com/ytc/AIdro_k=s88-c-k-c0x00ffffff-no-rj',
        url: 'https://www.youtube.com/channel/UCq3bX9t0m2Zr5LkW7vYdE1g',
      },
    ],
  });
  const followers = async () => analytics.ofAccount?.(session);
  expect(await followers()).toEqual({ ok: true, value: { ...noMetrics, followers: 1_230 } });
  expect(await followers()).toEqual({ ok: true, value: noMetrics });
});

test('a Google account without a channel has none', async () => {
  await google.start('no-channel');
  expect(await connecting.identify(google.session())).toEqual({ ok: true, value: [] });
});

test('metrics are those returned, and no others', async () => {
  await google.start('numbers');
  const session = google.session();
  const ids = ['Ks-_Mh1QhMc', 'eIho2S0ZahI', 'c0KYU2j0TM4', 'gone0000000'];
  const read = await analytics.ofPosts(session, ids);
  if (!read.ok) throw new Error(read.failure.message);
  expect([...read.value]).toEqual([
    ['Ks-_Mh1QhMc', { ...noMetrics, views: 24_120, likes: 771, comments: 52, shares: 118 }],
    ['eIho2S0ZahI', { ...noMetrics, views: 310, shares: 0 }],
    ['c0KYU2j0TM4', { ...noMetrics, views: 0, likes: 0, comments: 0 }],
  ]);
  const [, report] = google.asked();
  expect(Object.fromEntries(report?.query ?? [])).toEqual({
    ids: 'channel==MINE',
    startDate: '2005-02-14',
    endDate: expect.any(String),
    metrics: 'views,shares',
    dimensions: 'video',
    sort: '-views',
    maxResults: '50',
    filters: 'video==Ks-_Mh1QhMc,eIho2S0ZahI,c0KYU2j0TM4',
  });
  expect(report?.query.get('endDate')).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  const young = await analytics.ofPosts(session, ['c0KYU2j0TM4']);
  expect(young.ok && young.value.get('c0KYU2j0TM4')?.shares).toBeNull();
});

const receipt = { upload: '/upload/youtube/v3/videos?upload_id=1', bytes: '3000000', ended: 'yes' };

test('a video whose upload URL has expired is found in the list by its title, its description and its time', async () => {
  await google.start('uploads');
  const item = buildItem('Part one', { title: 'Firing the kiln', link: 'https://kiln.example/', receipt });
  expect(await publishing.find?.(google.session(), item)).toMatchObject({
    ok: true,
    value: { externalId: 'Ks-_Mh1QhMc', url: 'https://www.youtube.com/watch?v=Ks-_Mh1QhMc' },
  });
  const requested = google.asked().map(({ query }) => query.get('pageToken'));
  expect(requested).toEqual([null, null, null, 'EAAaHlBUOkNESWlFREUy', null]);
});

test('a video is found by its upload, whose status is complete', async () => {
  await google.start('finished-upload');
  const found = await publishing.find?.(
    google.session(),
    buildItem('', { title: 'Firing the kiln', receipt }),
  );
  expect(found).toMatchObject({ ok: true, value: { externalId: 'Ks-_Mh1QhMc' } });
  expect(google.asked()[0]?.headers['content-range']).toBe('bytes */3000000');
});

test('refusals are distinguished: the metadata, the project’s quota, the channel’s quota, a permission, a disabled API, a deleted channel', async () => {
  await google.start('refused-upload');
  const session = google.session();
  const codes: string[] = [];
  for (let at = 0; at < 6; at++) {
    const item = buildItem('', { title: 'Pots', media: [videoOf()] });
    const refused = await publishing.publish(session, item, discardReceipt);
    codes.push(refused.ok ? 'ok' : refused.failure.code);
    if (at === 1) {
      expect(!refused.ok && refused.failure.platform?.message).toBe(
        'The request cannot be completed because you have exceeded your quota.',
      );
    }
  }
  expect(codes).toEqual([
    ...['platform.refused', 'platform.rate_limited', 'platform.rate_limited'],
    ...['platform.permission_missing', 'platform.refused', 'connection.needs_reauth'],
  ]);
});
