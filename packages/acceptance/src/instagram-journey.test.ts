import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startInstagram, type RunningInstagram } from '@switchboard/simulators';
import { startFileServer, type FileServer } from './support/file-server.js';
import { objects, text } from './support/json.js';
import { film, noisyPng } from './support/sample-media.js';
import { openSocialDesk, partsOf, socialApp, type SocialDesk } from './support/social-desk.js';

const ALICE = '17841400000000001';
/** Instagram fetches media: it must be told a name that the world could find. */
const PUBLIC_URL = 'http://switchboard.example.com';

let files: FileServer;
let instagram: RunningInstagram;
let desk: SocialDesk;
let connectionId: string;
const to = (options = {}) => ({ targets: [{ connection_id: connectionId, options }] });
const picture = (name: string, width = 64, height = 48) => files.put(name, noisyPng(width, height)).url;
beforeAll(async () => {
  files = await startFileServer();
  const app = socialApp('instagram');
  instagram = await startInstagram({
    apps: [app],
    async fetchFile(url) {
      const response = await fetch(url.replace(PUBLIC_URL, desk.switchboard.url));
      return response.ok ? response.bytes() : null;
    },
  });
  desk = await openSocialDesk('instagram', instagram, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
    SWITCHBOARD_PUBLIC_URL: PUBLIC_URL,
  });
});
afterAll(async () => {
  await desk?.close();
  await files?.close();
});

test('an account is connected through the hosted page, with a login that lasts', async () => {
  connectionId = await desk.connect();
  expect(await desk.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    ...{ platform: 'instagram', status: 'active', missing_permissions: [], expires_at: null },
    account: { id: ALICE, username: 'alice', url: 'https://www.instagram.com/alice/' },
  });
});

test('a permission that its owner left out is told', async () => {
  const { session } = await desk.consent({ declined: 'instagram_business_manage_insights' });
  const [id = ''] = session['connection_ids'] as string[];
  expect(id).toBe(connectionId);
  expect(await desk.client.expect(200, 'GET', `/connections/${id}`)).toMatchObject({
    ...{ status: 'degraded', missing_permissions: ['instagram_business_manage_insights'] },
  });
  expect(await desk.connect()).toBe(connectionId);
});

test('validation wants a picture, counts hashtags, and says what is left of the day', async () => {
  const validate = async (body: object) => {
    const answer = await desk.client.expect(200, 'POST', '/social/posts/validate', { body: { ...body } });
    return objects(answer['targets'])[0];
  };
  expect(await validate({ text: 'Only words', ...to() })).toMatchObject({
    problems: [{ path: 'media', code: 'media.required' }],
  });
  const tags = Array.from({ length: 31 }, (_, at) => `#tag${at}`).join(' ');
  const media = [{ url: picture('valid.png') }];
  expect(await validate({ text: tags, media, ...to() })).toMatchObject({
    problems: [{ code: 'text.too_many_hashtags' }],
  });
  expect(await validate({ text: 'Hello', media, ...to() })).toMatchObject({
    ...{ problems: [], quota_left: 100, text: { used: 5, max: 2_200 } },
  });
});

test('what no post may have is refused before it is sent: a film that is too short, a picture that is too tall', async () => {
  for (const url of [files.put('short.mp4', film).url, picture('tall.png', 10, 60)]) {
    const { id } = await desk.client.expect(201, 'POST', '/social/media', { body: { url } });
    const media = [{ media_id: text(id) }];
    for (let look = 0; look < 50; look++) {
      const seen = await desk.client.expect(200, 'GET', `/social/media/${text(id)}`);
      if (seen['status'] !== 'processing') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const body = { text: 'No', media, ...to() };
    expect(await desk.client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
      code: 'post.invalid',
    });
  }
});

test('a carousel is published as JPEG, described, with its comment below', async () => {
  instagram.containers.processingTakes(1);
  const media = [1, 2].map((at) => ({ url: picture(`${at}.png`), alt_text: `Noise ${at}` }));
  const published = await desk.post(
    { text: 'Two pictures', media, first_comment: { text: 'Sources' }, ...to() },
    40,
  );
  instagram.containers.processingTakes(0);
  expect(published).toMatchObject({ status: 'published' });
  const [post = '', comment = ''] = partsOf(published);
  expect(instagram.media.find(post)).toMatchObject({
    ...{ caption: 'Two pictures', product: 'FEED' },
    files: [1, 2].map((at) => ({
      type: 'image/jpeg',
      altText: `Noise ${at}`,
      size: { width: 64, height: 48 },
    })),
  });
  expect(instagram.media.comment(comment)).toMatchObject({ mediaId: post, text: 'Sources' });
  expect(text(objects(published['deliveries'])[0]?.['url'])).toMatch(/^https:\/\/www\.instagram\.com\/p\//);
});

test('a post whose answer is lost is found again by its container, and stands there once', async () => {
  const before = instagram.media.made();
  desk.breakNext('reset-after-effect', `/v25.0/${ALICE}/media_publish`);
  const media = [{ url: picture('lost.png') }];
  const published = await desk.post({ text: 'Lost & <found>', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(instagram.media.made()).toBe(before + 1);
  const [id = ''] = partsOf(published);
  expect(instagram.media.find(id)).toMatchObject({ caption: 'Lost & <found>' });
});

test('a story has no caption', async () => {
  const media = [{ url: picture('story.png', 30, 40) }];
  const published = await desk.post({ media, ...to({ post_type: 'story' }) });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = partsOf(published);
  expect(instagram.media.find(id)).toMatchObject({ product: 'STORY', caption: '' });
});

test('numbers are those that Instagram gives, of a story fewer', async () => {
  const report = await desk.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({
    views: 360,
    reach: 240,
    likes: 18,
    comments: 6,
    shares: 6,
    saves: 8,
  });
  expect(report['totals']).toMatchObject({ impressions: null, clicks: null });
});

test('nothing can be taken back with this login, and nothing asked with an account that is gone', async () => {
  const { data } = await desk.client.expect(200, 'GET', '/social/posts');
  const post = objects(data).find((one) => one['text'] === 'Lost & <found>');
  const path = `/social/posts/${text(post?.['id'])}/unpublish`;
  const answer = await desk.client.post(path, {});
  expect([answer.status, answer.json['code']]).toEqual([422, 'post.unpublish_unsupported']);
  await desk.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await desk.client.expect(404, 'GET', `/connections/${connectionId}`);
});
