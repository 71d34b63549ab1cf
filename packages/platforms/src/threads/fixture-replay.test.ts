import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { CONTAINER } from '../graph/graph-containers.js';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';

/** Bodies as Threads documents them, including fields that the adapter does not read. */
const written = fixtureReplay(import.meta.dirname, '1234567');

test('an account is read', async () => {
  await written.start('profile');
  expect(await connecting.identify(written.session())).toEqual({
    ok: true,
    value: [
      {
        id: '1234567',
        username: 'threadsapitestuser',
        name: 'Threads API Test User',
        avatarUrl: 'https://scontent-sjc3-1.cdninstagram.com/v/t51.12345-67/123456789_n.jpg',
        url: 'https://www.threads.com/@threadsapitestuser',
      },
    ],
  });
});

test('two files are a carousel of two children, published once both and the parent are ready', async () => {
  await written.start('carousel');
  const media = [imageOf({ altText: 'A cat' }), videoOf()] as const;
  const published = await publishing.publish(written.session(), buildItem('Look', { media }), discardReceipt);
  expect(published).toEqual({
    ok: true,
    value: {
      externalId: '18056013456789012',
      url: 'https://www.threads.net/@threadsapitestuser/post/abcdefg',
      receipt: {},
    },
  });
  expect(written.left()).toEqual([]);
  expect(written.forms('/1234567/threads')).toEqual([
    {
      media_type: 'IMAGE',
      image_url: media[0].publicUrl(),
      alt_text: 'A cat',
      is_carousel_item: 'true',
    },
    { media_type: 'VIDEO', video_url: media[1].publicUrl(), is_carousel_item: 'true' },
    { media_type: 'CAROUSEL', children: '17889615691921641,17889615691921642', text: 'Look' },
  ]);
  expect(written.forms('/1234567/threads_publish')).toEqual([{ creation_id: '17889615691921648' }]);
});

test('a video that could not be fetched is refused with the message of Threads', async () => {
  await written.start('failed-container');
  expect(
    await publishing.publish(written.session(), buildItem('Look', { media: [videoOf()] }), discardReceipt),
  ).toMatchObject({
    failure: { code: 'platform.refused', platform: { message: 'FAILED_DOWNLOADING_VIDEO' } },
  });
  expect(written.forms('/1234567/threads_publish')).toEqual([]);
});

test('a post is distinguished from older ones, from a carousel and from a repost, on any page of any size', async () => {
  await written.start('own-posts');
  const find = async (mediaCount: number) => {
    const item = buildItem('Hello World', { mediaCount, receipt: { [CONTAINER]: '17889615691921648' } });
    const found = await publishing.find?.(written.session(), item);
    return found?.ok && found.value?.externalId;
  };
  expect(await find(0)).toBe('18056013456789012');
  expect(await find(2)).toBe('18056013456789013');
});

test('quotas are of posts and of replies', async () => {
  await written.start('quota');
  expect(await publishing.quotas?.(written.session())).toEqual({
    ok: true,
    value: [
      { name: 'posts', used: 4, limit: 250, resetsAt: null, usedBy: ['post'] },
      { name: 'replies', used: 1, limit: 1_000, resetsAt: null, usedBy: ['thread', 'comment'] },
    ],
  });
});

test('metrics are read, a missing value is null and a missing post is left out', async () => {
  await written.start('insights');
  const read = await analytics.ofPosts(written.session(), ['18056013456789012', '18056013456789013']);
  expect(read.ok && [...read.value]).toEqual([
    // Without quotes the number of shares is unknown.
    ['18056013456789012', { ...noMetrics, views: 1_200, likes: 100, comments: 10 }],
  ]);
  expect(await analytics.ofAccount?.(written.session())).toEqual({
    ok: true,
    value: { ...noMetrics, followers: 321 },
  });
});
