import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startX } from '@switchboard/simulators';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText } from './support/json.js';
import { sampleVideo, animatedGif, noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

let files: FileServer;
let x: Awaited<ReturnType<typeof startX>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const to = () => ({ targets: [{ connection_id: connectionId }] });
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('x');
  x = await startX({ apps: [app] });
  environment = await openSocialTestEnvironment('x', x, app, { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('an account is connected through the hosted page with all requested permissions', async () => {
  connectionId = await environment.connect();
  expect(await environment.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    platform: 'x',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: x.account.id, username: 'alice', url: 'https://x.com/alice' },
  });
});

test('validation counts as X does, and reports the cost of a link', async () => {
  const body = { text: 'Spring 漢', link: 'https://example.com/a/long/way', ...to() };
  const validated = await environment.client.expect(200, 'POST', '/social/posts/validate', { body });
  expect(validated).toMatchObject({
    valid: true,
    targets: [
      {
        text: { used: 9 + 1 + 23, max: 280 },
        estimated_cost: { amount: '0.20', currency: 'USD' },
      },
    ],
  });
  const cashtags = { text: '$AAPL and $TSLA', ...to() };
  expect(
    await environment.client.expect(200, 'POST', '/social/posts/validate', { body: cashtags }),
  ).toMatchObject({
    valid: false,
    targets: [{ problems: [{ code: 'text.too_many_cashtags' }], estimated_cost: { amount: '0.015' } }],
  });
});

test('a thread with images, a video, an animated GIF and a first comment is published in order', async () => {
  x.media.setProcessingPolls(1);
  const [image, waves] = [files.put('1.png', noisyPng(64, 48)), files.put('video.mp4', sampleVideo)];
  const animatedMedia = files.put('1.gif', animatedGif);
  const published = await environment.publishPost({
    text: 'One of three',
    media: [{ url: image.url, alt_text: 'Noise 🐈' }],
    thread: [
      { text: 'Two of three', media: [{ url: waves.url }] },
      { text: 'Three of three', media: [{ url: animatedMedia.url }] },
    ],
    first_comment: { text: 'More at https://example.com/more' },
    ...to(),
  });
  expect(published).toMatchObject({ status: 'published' });
  const [one = '', two = '', three = '', comment = ''] = listPartIds(published);
  expect(x.posts.find(one)).toMatchObject({
    text: 'One of three',
    inReplyToId: null,
    media: [{ type: 'image/png', sha256: image.sha256, altText: 'Noise 🐈' }],
  });
  expect(x.posts.find(two)).toMatchObject({ inReplyToId: one, media: [{ sha256: waves.sha256 }] });
  expect(x.posts.find(three)).toMatchObject({
    media: [{ category: 'tweet_gif', type: 'image/gif', sha256: animatedMedia.sha256 }],
  });
  expect(x.posts.find(comment)).toMatchObject({ inReplyToId: one });
  expect(asObjects(published['deliveries'])[0]).toMatchObject({ url: `https://x.com/i/status/${one}` });
});

test('a post whose response is lost is found, including its links, and exists once', async () => {
  const before = x.posts.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/2/tweets');
  const published = await environment.publishPost({
    text: 'Lost & <found>',
    link: 'https://example.com/a?b=c',
    ...to(),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(x.posts.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(x.posts.find(id)?.text).toBe('Lost & <found>\nhttps://example.com/a?b=c');
});

test('metrics are exactly those that X returns', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ impressions: 240, likes: 6, shares: 10, saves: 10, clicks: 14 });
  expect(report['totals']).toMatchObject({ views: null, reach: null });
});

test('a post is deleted, and disconnecting revokes the tokens', async () => {
  const published = await environment.publishPost({ text: 'For a moment', ...to() });
  const [id = ''] = listPartIds(published);
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(x.posts.find(id)).toBeNull();
  await environment.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await eventually('both tokens are revoked', async () => (x.oauth.revoked().length === 2 ? true : null));
});
