import { expect, test } from '@jest/globals';
import { fieldsOf, type FormFile } from '@switchboard/simulators';
import { noMetrics } from '@switchboard/domain/analytics';
import type { PublishItem } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';

const PAGE = '1755847768034402';
/** Bodies as Facebook documents them, including fields that the adapter does not read. */
const written = fixtureReplay(import.meta.dirname, PAGE, [manifest.uploadBaseUrl]);
/** With a file, and without. */
const sent = (path: string) =>
  written
    .asked()
    .filter((one) => one.method === 'POST' && one.path === path)
    .map(({ body }) => fieldsOf(body));

test('a login opens the pages on which it may create content, each with its own token', async () => {
  await written.start('accounts');
  const login = written.session();
  // No page is chosen yet.
  const found = await connecting.identify({ ...login, account: { ...login.account, id: '' } });
  const pages = found.ok ? found.value : [];
  expect(pages.map(({ id, credential }) => [id, credential?.reveal()])).toEqual([
    [PAGE, 'EBACfMetricsaurus'],
    ['1755847768034403', 'EBACfWriter'],
    ['1755847768034405', 'EBACfOwned'],
  ]);
  expect(pages[0]).toMatchObject({
    username: 'metricsaurus',
    name: 'Metricsaurus',
    url: 'https://www.facebook.com/metricsaurus',
    avatarUrl: 'https://scontent.xx.fbcdn.net/v/t1/metricsaurus.jpg',
  });
  expect(pages[0]?.permissions).toContain('read_insights');
  expect(pages[0]?.permissions).not.toContain('pages_read_user_content');
  expect(pages[1]?.permissions).not.toContain('read_insights');
  expect(pages[1]?.url).toBe('https://www.facebook.com/1755847768034403');
});

test('images are uploaded unpublished, with alternative text, and then attached to a post', async () => {
  await written.start('photos');
  const media = [imageOf({ altText: 'A cat' }), imageOf()] as const;
  const item = buildItem('Look', { media, link: 'https://example.com/a' });
  expect(await publishing.publish(written.session(), item, discardReceipt)).toEqual({
    ok: true,
    value: {
      externalId: `${PAGE}_1116692711356211`,
      url: `https://www.facebook.com/${PAGE}/posts/pfbid02abc`,
      receipt: {},
    },
  });
  expect(written.left()).toEqual([]);
  const [first, second] = sent(`/${PAGE}/photos`);
  expect(first).toMatchObject({ published: 'false', alt_text_custom: 'A cat' });
  expect(second).not.toHaveProperty('alt_text_custom');
  expect(sent(`/${PAGE}/feed`)).toEqual([
    {
      message: 'Look\nhttps://example.com/a',
      'attached_media[0]': '{"media_fbid":"1002088839996"}',
      'attached_media[1]': '{"media_fbid":"1002088840149"}',
    },
  ]);
});

test('a video is uploaded in the chunks that Facebook requests, published, and polled', async () => {
  await written.start('video');
  const video = videoOf();
  expect(
    await publishing.publish(written.session(), buildItem('Waves', { media: [video] }), discardReceipt),
  ).toEqual({
    ok: true,
    value: {
      externalId: '1755847768034500',
      url: 'https://www.facebook.com/reel/1755847768034500/',
      receipt: {},
    },
  });
  expect(written.left()).toEqual([]);
  const [begun, first, second, finished] = sent(`/${PAGE}/videos`);
  expect(begun).toEqual({ upload_phase: 'start', file_size: String(video.bytes) });
  const pieces = [first, second].map((form) => form?.['video_file_chunk'] as FormFile);
  expect(pieces.map(({ bytes }) => bytes.length)).toEqual([4, video.bytes - 4]);
  expect(second).toMatchObject({ upload_session_id: '1564747013773438', start_offset: '4' });
  expect(finished).toEqual({
    upload_phase: 'finish',
    upload_session_id: '1564747013773438',
    description: 'Waves',
  });
});

test('a reel is uploaded to the URL that Facebook returns, with its headers, published, and polled', async () => {
  await written.start('reel');
  const video = videoOf({ upright: true });
  const item = buildItem('Waves', { media: [video] });
  expect(await publishing.publish(written.session(), item, discardReceipt)).toEqual({
    ok: true,
    value: {
      externalId: '1755847768034510',
      url: 'https://www.facebook.com/reel/1755847768034510/',
      receipt: {},
    },
  });
  expect(written.left()).toEqual([]);
  const [, bytes] = written.asked();
  expect(bytes?.path).toBe('/video-upload/v25.0/1755847768034510');
  expect(bytes?.headers).toMatchObject({
    offset: '0',
    file_size: String(video.bytes),
    'content-type': 'application/octet-stream',
    authorization: expect.stringMatching(/^OAuth \w+$/),
  });
  expect(Buffer.from(bytes?.bytes ?? []).equals(video.content)).toBe(true);
  expect(sent(`/${PAGE}/video_reels`)).toEqual([
    { upload_phase: 'start' },
    {
      upload_phase: 'finish',
      video_id: '1755847768034510',
      video_state: 'PUBLISHED',
      description: 'Waves',
    },
  ]);
});

test('a rejected reel is mapped by its error type, and the login is sent to Facebook’s own hosts only', async () => {
  await written.start('reel-not-taken');
  const open = written.session();
  const reported: unknown[] = [];
  for (let tries = 0; tries < 5; tries++) {
    const item = buildItem('Waves', { media: [videoOf({ upright: true })] });
    const response = await publishing.publish(open, item, discardReceipt);
    reported.push(!response.ok && [response.failure.code, response.failure.platform?.code]);
  }
  expect(reported).toEqual([
    // To be uploaded again.
    ['platform.unavailable', 'PartialRequestError'],
    ['platform.refused', 'ParameterValidationError'],
    // Facebook itself reports that a retry may succeed.
    ['platform.unavailable', 'UploadError'],
    // Unreadable: nothing was published yet.
    ['platform.unavailable', undefined],
    ['platform.refused', '1363128'],
  ]);
  expect(written.asked().map(({ path }) => path.split('/')[1])).toEqual([
    ...[PAGE, 'video-upload', PAGE, 'video-upload', PAGE, 'video-upload'],
    ...[PAGE, PAGE, 'video-upload', PAGE],
  ]);
});

test.each<[string, Partial<PublishItem> & { text: string }, unknown]>([
  [
    'images by their IDs',
    { text: 'Look', mediaCount: 2, receipt: { photo_0: '1002088839996', photo_1: '1002088840149' } },
    { value: { externalId: `${PAGE}_1` } },
  ],
  [
    'other images with the same text, as a manual check',
    { text: 'Look', mediaCount: 1, receipt: { photo_0: '1002088839000' } },
    { failure: { code: 'platform.outcome_unknown' } },
  ],
  ['images that were never sent', { text: 'Look', mediaCount: 1 }, { value: null }],
  [
    'a text with a link, with different white space',
    { text: 'Read this now', link: 'https://example.com/b' },
    { value: { externalId: `${PAGE}_4` } },
  ],
  ['a link alone', { text: '', link: 'https://example.com/a' }, { value: { externalId: `${PAGE}_3` } }],
  [
    'a link that Facebook may have rewritten, as a manual check',
    { text: '', link: 'https://example.com/moved' },
    { failure: { code: 'platform.outcome_unknown' } },
  ],
  ['the text of a video', { text: 'Moving' }, { value: null }],
  ['the text of an earlier post', { text: 'Older' }, { value: null }],
])('the page’s posts contain %s', async (_name, { text, ...more }, expected) => {
  await written.start('listed');
  expect(await publishing.find?.(written.session(), buildItem(text, more))).toMatchObject(expected as object);
});

test('a rejected duplicate text is reported as such', async () => {
  await written.start('duplicate');
  expect(await publishing.publish(written.session(), buildItem('Again'), discardReceipt)).toMatchObject({
    failure: { code: 'platform.duplicate_content' },
  });
});

test('a refusal that may follow a success is looked up, and every other one is kept', async () => {
  await written.start('blocked');
  const open = written.session();
  const codes: unknown[] = [];
  for (let at = 0; at < 5; at++) {
    const response = await publishing.publish(open, buildItem('Hello'), discardReceipt);
    codes.push(!response.ok && response.failure.code);
  }
  expect(codes).toEqual([
    'platform.outcome_unknown',
    'platform.outcome_unknown',
    'platform.rate_limited',
    'platform.permission_missing',
    'connection.needs_reauth',
  ]);
});

test('metrics are read; an unknown name affects only itself, and a missing value is null', async () => {
  await written.start('numbers');
  const open = written.session();
  const posts = [10, 11, 12].map((at) => `${PAGE}_${at}`);
  const read = await analytics.ofPosts(open, [...posts, '1755847768034500', '1755847768034501']);
  expect(read.ok && [...read.value]).toEqual([
    [posts[0], { ...noMetrics, views: 340, reach: 210, likes: 9, comments: 0, shares: 1, clicks: 0 }],
    [posts[1], { ...noMetrics, reach: 5, likes: 0, clicks: 1 }],
    ['1755847768034500', { ...noMetrics, views: 1_500, reach: 900, likes: 5, comments: 5, shares: 2 }],
    ['1755847768034501', { ...noMetrics, views: 31, reach: 29 }],
  ]);
  expect(await analytics.ofAccount?.(open)).toEqual({ ok: true, value: { ...noMetrics, followers: 117 } });
});

test('a refusal for another reason than a name is not a missing metric', async () => {
  await written.start('numbers');
  expect(await analytics.ofPosts(written.session(), [`${PAGE}_13`])).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: '100' } },
  });
});
