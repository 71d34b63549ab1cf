import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFacebook } from '@switchboard/simulators';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText } from './support/json.js';
import { sampleVideo, noisyPng, portraitVideo } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

const BAKERY = '100000000000001';
const BOOKSHOP = '100000000000002';

let files: FileServer;
let facebook: Awaited<ReturnType<typeof startFacebook>>;
let environment: SocialTestEnvironment;
let [bakery, bookshop] = ['', ''];
const to = (connectionId = bakery, options = {}) => ({ targets: [{ connection_id: connectionId, options }] });
const createImage = (name: string) => files.put(name, noisyPng(64, 48)).url;
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('facebook');
  facebook = await startFacebook({ apps: [app] });
  environment = await openSocialTestEnvironment('facebook', facebook, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('a login lists the pages that allow publishing, and the selected ones are connected', async () => {
  const { offered, ids } = await environment.connectSeveral(2);
  expect(['Bakery', 'Bookshop', 'Café'].filter((name) => offered.includes(name))).toEqual([
    'Bakery',
    'Bookshop',
  ]);
  const connections = await Promise.all(
    ids.map((id) => environment.client.expect(200, 'GET', `/connections/${id}?refresh=true`)),
  );
  const idOf = (page: string) =>
    asText(connections.find(({ account }) => (account as { readonly id: string }).id === page)?.['id'] ?? '');
  [bakery, bookshop] = [idOf(BAKERY), idOf(BOOKSHOP)];
  expect(connections.find(({ id }) => id === bakery)).toMatchObject({
    platform: 'facebook',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: BAKERY, name: 'Bakery', username: 'bakery', url: 'https://www.facebook.com/bakery' },
  });
});

test('a permission that the account owner declined is reported', async () => {
  const { ids } = await environment.connectSeveral(1, { declined: 'read_insights' });
  expect(ids).toEqual([bakery]);
  const declined = await environment.client.expect(200, 'GET', `/connections/${bakery}`);
  expect(declined).toMatchObject({ status: 'degraded', missing_permissions: ['read_insights'] });
  await environment.connectSeveral(1);
  expect(await environment.client.expect(200, 'GET', `/connections/${bakery}`)).toMatchObject({
    status: 'active',
  });
});

test('validation counts the visible text: a shared link is not part of it', async () => {
  const validate = async (body: object) => {
    const answer = await environment.client.expect(200, 'POST', '/social/posts/validate', {
      body: { ...body },
    });
    return asObjects(answer['targets'])[0];
  };
  const link = 'https://example.com/';
  expect(await validate({ text: 'Read this', link, ...to() })).toMatchObject({
    problems: [],
    final_text: 'Read this',
    text: { used: 9, max: 63_206 },
  });
  expect(await validate({ text: 'a'.repeat(63_207), ...to() })).toMatchObject({
    problems: [{ path: 'text', code: 'text.too_long' }],
  });
});

test('images are published as one post with alternative text and a comment below', async () => {
  const media = [1, 2].map((at) => ({ url: createImage(`${at}.png`), alt_text: `Noise ${at}` }));
  const published = await environment.publishPost({
    text: 'Two images',
    media,
    first_comment: { text: 'Sources' },
    ...to(),
  });
  expect(published).toMatchObject({ status: 'published' });
  const [post = '', comment = ''] = listPartIds(published);
  expect(facebook.book.post(post)).toMatchObject({
    message: 'Two images',
    pageId: BAKERY,
    photos: [1, 2].map((at) => ({ type: 'image/png', altText: `Noise ${at}` })),
  });
  expect(facebook.book.comment(comment)).toMatchObject({ objectId: post, message: 'Sources' });
  expect(asText(asObjects(published['deliveries'])[0]?.['url'])).toMatch(/^https:\/\/www\.facebook\.com\//);
});

test('a post whose response is lost is found by reading back, and exists once', async () => {
  const before = facebook.book.createdCount();
  environment.injectFaultOnce('reset-after-effect', `/v25.0/${BAKERY}/feed`);
  const media = [{ url: createImage('lost.png') }];
  const published = await environment.publishPost({ text: 'Lost & <found>', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(facebook.book.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(facebook.book.post(id)).toMatchObject({ message: 'Lost & <found>' });
});

test('a video is uploaded, published and polled until ready', async () => {
  facebook.videos.setProcessingPolls(1);
  const media = [{ url: files.put('video.mp4', sampleVideo).url }];
  const published = await environment.publishPost({ text: 'Moving', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = listPartIds(published);
  const sent = { message: 'Moving', video: { type: 'video/mp4' }, isReel: false };
  expect(facebook.book.post(id)).toMatchObject(sent);
  expect(asText(asObjects(published['deliveries'])[0]?.['url'])).toBe(`https://www.facebook.com/reel/${id}/`);
});

test('metrics are those that Facebook returns, with different ones for a video', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: bakery, group_by: 'post' },
  });
  const totals = { views: 390, reach: 250, likes: 23, comments: 11, shares: 4, clicks: 12 };
  expect(report['totals']).toMatchObject({ ...totals, impressions: null, saves: null });
});

test('a portrait video is published as a reel, and exists once although the response was lost', async () => {
  facebook.videos.setProcessingPolls(0);
  const before = facebook.book.createdCount();
  const match = { method: 'POST', path_prefix: `/v25.0/${BAKERY}/video_reels`, body: 'finish' };
  facebook.faults.add({ kind: 'reset-after-effect', match });
  const { url } = files.put('upright.mp4', portraitVideo);
  const published = await environment.publishPost({ text: 'A reel', media: [{ url }], ...to() });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = listPartIds(published);
  expect(facebook.faults.list()).toEqual([]);
  expect(facebook.book.post(id)).toMatchObject({ message: 'A reel', isReel: true });
  expect(facebook.book.createdCount()).toBe(before + 1);
});

test('a video that is not eligible for a reel is rejected before anything is sent', async () => {
  const { data } = await environment.client.expect(200, 'GET', '/social/media');
  const wide = asObjects(data).find(({ width }) => width === 640);
  const body = {
    text: 'Wide',
    media: [{ media_id: asText(wide?.['id']) }],
    ...to(bakery, { post_type: 'reel' }),
  };
  const validated = await environment.client.expect(200, 'POST', '/social/posts/validate', { body });
  expect(asObjects(validated['targets'])[0]).toMatchObject({
    problems: [{ path: 'targets.0.options.post_type', code: 'option.invalid' }],
  });
  expect(await environment.client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
    code: 'post.invalid',
  });
});

test('a post is deleted', async () => {
  const { data } = await environment.client.expect(200, 'GET', '/social/posts');
  const post = asObjects(data).find((one) => one['text'] === 'Two images');
  const [id = ''] = listPartIds(post ?? {});
  const path = `/social/posts/${asText(post?.['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(facebook.book.post(id)).toBeNull();
});

test('disconnecting a page revokes nothing, so that the others keep working', async () => {
  await environment.client.expect(204, 'DELETE', `/connections/${bakery}`);
  await environment.client.expect(404, 'GET', `/connections/${bakery}`);
  const published = await environment.publishPost({ text: 'Still here', ...to(bookshop) });
  expect(published).toMatchObject({ status: 'published' });
  expect(facebook.book.post(listPartIds(published)[0] ?? '')).toMatchObject({ pageId: BOOKSHOP });
});

test('a grant revoked at Facebook ends the connection', async () => {
  facebook.withdraw();
  expect(await environment.client.expect(200, 'GET', `/connections/${bookshop}?refresh=true`)).toMatchObject({
    status: 'needs_reauth',
  });
});
