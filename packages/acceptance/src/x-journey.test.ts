import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startX, type RunningX } from '@switchboard/simulators';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { objects, text } from './support/json.js';
import { film, movingGif, noisyPng } from './support/sample-media.js';
import { openSocialDesk, partsOf, socialApp, type SocialDesk } from './support/social-desk.js';

let files: FileServer;
let x: RunningX;
let desk: SocialDesk;
let connectionId: string;
const to = () => ({ targets: [{ connection_id: connectionId }] });
beforeAll(async () => {
  files = await startFileServer();
  const app = socialApp('x');
  x = await startX({ apps: [app] });
  desk = await openSocialDesk('x', x, app, { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host });
});
afterAll(async () => {
  await desk?.close();
  await files?.close();
});

test('an account is connected through the hosted page, with everything that is asked for', async () => {
  connectionId = await desk.connect();
  expect(await desk.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    platform: 'x',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: x.account.id, username: 'alice', url: 'https://x.com/alice' },
  });
});

test('validation counts as X counts, and says what a link costs', async () => {
  const body = { text: 'Spring 漢', link: 'https://example.com/a/long/way', ...to() };
  const validated = await desk.client.expect(200, 'POST', '/social/posts/validate', { body });
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
  expect(await desk.client.expect(200, 'POST', '/social/posts/validate', { body: cashtags })).toMatchObject({
    valid: false,
    targets: [{ problems: [{ code: 'text.too_many_cashtags' }], estimated_cost: { amount: '0.015' } }],
  });
});

test('a thread with pictures, a film, a GIF that moves and a first comment is published in order', async () => {
  x.media.processingTakes(1);
  const [picture, waves] = [files.put('1.png', noisyPng(64, 48)), files.put('film.mp4', film)];
  const moving = files.put('1.gif', movingGif);
  const published = await desk.post(
    {
      text: 'One of three',
      media: [{ url: picture.url, alt_text: 'Noise 🐈' }],
      thread: [
        { text: 'Two of three', media: [{ url: waves.url }] },
        { text: 'Three of three', media: [{ url: moving.url }] },
      ],
      first_comment: { text: 'More at https://example.com/more' },
      ...to(),
    },
    40,
  );
  expect(published).toMatchObject({ status: 'published' });
  const [one = '', two = '', three = '', comment = ''] = partsOf(published);
  expect(x.posts.find(one)).toMatchObject({
    text: 'One of three',
    inReplyToId: null,
    media: [{ type: 'image/png', sha256: picture.sha256, altText: 'Noise 🐈' }],
  });
  expect(x.posts.find(two)).toMatchObject({ inReplyToId: one, media: [{ sha256: waves.sha256 }] });
  expect(x.posts.find(three)).toMatchObject({
    media: [{ category: 'tweet_gif', type: 'image/gif', sha256: moving.sha256 }],
  });
  expect(x.posts.find(comment)).toMatchObject({ inReplyToId: one });
  expect(objects(published['deliveries'])[0]).toMatchObject({ url: `https://x.com/i/status/${one}` });
});

test('a post whose answer is lost is found again, links and all, and stands there once', async () => {
  const before = x.posts.made();
  desk.breakNext('reset-after-effect', '/2/tweets');
  const published = await desk.post({ text: 'Lost & <found>', link: 'https://example.com/a?b=c', ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(x.posts.made()).toBe(before + 1);
  const [id = ''] = partsOf(published);
  expect(x.posts.find(id)?.text).toBe('Lost & <found>\nhttps://example.com/a?b=c');
});

test('numbers are those that X gives, and no others', async () => {
  const report = await desk.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ impressions: 240, likes: 6, shares: 10, saves: 10, clicks: 14 });
  expect(report['totals']).toMatchObject({ views: null, reach: null });
});

test('a post is taken back, and the account is given back with its tokens', async () => {
  const published = await desk.post({ text: 'For a moment', ...to() });
  const [id = ''] = partsOf(published);
  const path = `/social/posts/${text(published['id'])}/unpublish`;
  expect(await desk.client.expect(200, 'POST', path, { body: {} })).toMatchObject({ status: 'deleted' });
  expect(x.posts.find(id)).toBeNull();
  await desk.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await eventually('both tokens are given back', async () => (x.oauth.revoked().length === 2 ? true : null));
});
