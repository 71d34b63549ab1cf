import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFacebook, type RunningFacebook } from '@switchboard/simulators';
import { startFileServer, type FileServer } from './support/file-server.js';
import { objects, text } from './support/json.js';
import { film, noisyPng, uprightFilm } from './support/sample-media.js';
import { openSocialDesk, partsOf, socialApp, type SocialDesk } from './support/social-desk.js';

const BAKERY = '100000000000001';
const BOOKSHOP = '100000000000002';

let files: FileServer;
let facebook: RunningFacebook;
let desk: SocialDesk;
let [bakery, bookshop] = ['', ''];
const to = (connectionId = bakery, options = {}) => ({ targets: [{ connection_id: connectionId, options }] });
const picture = (name: string) => files.put(name, noisyPng(64, 48)).url;
beforeAll(async () => {
  files = await startFileServer();
  const app = socialApp('facebook');
  facebook = await startFacebook({ apps: [app] });
  desk = await openSocialDesk('facebook', facebook, app, { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host });
});
afterAll(async () => {
  await desk?.close();
  await files?.close();
});

test('a login opens the pages on which something may be created, and those that are chosen are connected', async () => {
  const { offered, ids } = await desk.connectSeveral(2);
  expect(['Bakery', 'Bookshop', 'Café'].filter((name) => offered.includes(name))).toEqual([
    'Bakery',
    'Bookshop',
  ]);
  const connections = await Promise.all(
    ids.map((id) => desk.client.expect(200, 'GET', `/connections/${id}?refresh=true`)),
  );
  const idOf = (page: string) =>
    text(connections.find(({ account }) => (account as { readonly id: string }).id === page)?.['id'] ?? '');
  [bakery, bookshop] = [idOf(BAKERY), idOf(BOOKSHOP)];
  expect(connections.find(({ id }) => id === bakery)).toMatchObject({
    platform: 'facebook',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: BAKERY, name: 'Bakery', username: 'bakery', url: 'https://www.facebook.com/bakery' },
  });
});

test('a permission that its owner left out is told', async () => {
  const { ids } = await desk.connectSeveral(1, { declined: 'read_insights' });
  expect(ids).toEqual([bakery]);
  const declined = await desk.client.expect(200, 'GET', `/connections/${bakery}`);
  expect(declined).toMatchObject({ status: 'degraded', missing_permissions: ['read_insights'] });
  await desk.connectSeveral(1);
  expect(await desk.client.expect(200, 'GET', `/connections/${bakery}`)).toMatchObject({ status: 'active' });
});

test('validation counts what stands there: a link that is shared is no part of it', async () => {
  const validate = async (body: object) => {
    const answer = await desk.client.expect(200, 'POST', '/social/posts/validate', { body: { ...body } });
    return objects(answer['targets'])[0];
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

test('pictures are published as one post, described, with a comment below', async () => {
  const media = [1, 2].map((at) => ({ url: picture(`${at}.png`), alt_text: `Noise ${at}` }));
  const published = await desk.post({
    text: 'Two pictures',
    media,
    first_comment: { text: 'Sources' },
    ...to(),
  });
  expect(published).toMatchObject({ status: 'published' });
  const [post = '', comment = ''] = partsOf(published);
  expect(facebook.book.post(post)).toMatchObject({
    message: 'Two pictures',
    pageId: BAKERY,
    photos: [1, 2].map((at) => ({ type: 'image/png', altText: `Noise ${at}` })),
  });
  expect(facebook.book.comment(comment)).toMatchObject({ objectId: post, message: 'Sources' });
  expect(text(objects(published['deliveries'])[0]?.['url'])).toMatch(/^https:\/\/www\.facebook\.com\//);
});

test('a post whose answer is lost is found again, and stands there once', async () => {
  const before = facebook.book.made();
  desk.breakNext('reset-after-effect', `/v25.0/${BAKERY}/feed`);
  const media = [{ url: picture('lost.png') }];
  const published = await desk.post({ text: 'Lost & <found>', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(facebook.book.made()).toBe(before + 1);
  const [id = ''] = partsOf(published);
  expect(facebook.book.post(id)).toMatchObject({ message: 'Lost & <found>' });
});

test('a film is sent, published and waited for', async () => {
  facebook.films.processingTakes(1);
  const media = [{ url: files.put('film.mp4', film).url }];
  const published = await desk.post({ text: 'Moving', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = partsOf(published);
  const sent = { message: 'Moving', film: { type: 'video/mp4' }, isReel: false };
  expect(facebook.book.post(id)).toMatchObject(sent);
  expect(text(objects(published['deliveries'])[0]?.['url'])).toBe(`https://www.facebook.com/reel/${id}/`);
});

test('numbers are those that Facebook gives, of a film others', async () => {
  const report = await desk.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: bakery, group_by: 'post' },
  });
  const totals = { views: 390, reach: 250, likes: 23, comments: 11, shares: 4, clicks: 12 };
  expect(report['totals']).toMatchObject({ ...totals, impressions: null, saves: null });
});

test('an upright film is published as a reel, and stands there once though nobody heard of it', async () => {
  facebook.films.processingTakes(0);
  const before = facebook.book.made();
  const match = { method: 'POST', path_prefix: `/v25.0/${BAKERY}/video_reels`, body: 'finish' };
  facebook.faults.add({ platform: 'social', kind: 'reset-after-effect', match });
  const { url } = files.put('upright.mp4', uprightFilm);
  const published = await desk.post({ text: 'A reel', media: [{ url }], ...to() });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = partsOf(published);
  expect(facebook.faults.list()).toEqual([]);
  expect(facebook.book.post(id)).toMatchObject({ message: 'A reel', isReel: true });
  expect(facebook.book.made()).toBe(before + 1);
});

test('a film that cannot be a reel is refused as one before anything is sent', async () => {
  const { data } = await desk.client.expect(200, 'GET', '/social/media');
  const wide = objects(data).find(({ width }) => width === 640);
  const body = {
    text: 'Wide',
    media: [{ media_id: text(wide?.['id']) }],
    ...to(bakery, { post_type: 'reel' }),
  };
  const validated = await desk.client.expect(200, 'POST', '/social/posts/validate', { body });
  expect(objects(validated['targets'])[0]).toMatchObject({
    problems: [{ path: 'targets.0.options.post_type', code: 'option.invalid' }],
  });
  expect(await desk.client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
    code: 'post.invalid',
  });
});

test('a post is taken back', async () => {
  const { data } = await desk.client.expect(200, 'GET', '/social/posts');
  const post = objects(data).find((one) => one['text'] === 'Two pictures');
  const [id = ''] = partsOf(post ?? {});
  const path = `/social/posts/${text(post?.['id'])}/unpublish`;
  expect(await desk.client.expect(200, 'POST', path, { body: {} })).toMatchObject({ status: 'deleted' });
  expect(facebook.book.post(id)).toBeNull();
});

test('a page that is disconnected gives nothing back, so that the others go on', async () => {
  await desk.client.expect(204, 'DELETE', `/connections/${bakery}`);
  await desk.client.expect(404, 'GET', `/connections/${bakery}`);
  const published = await desk.post({ text: 'Still here', ...to(bookshop) });
  expect(published).toMatchObject({ status: 'published' });
  expect(facebook.book.post(partsOf(published)[0] ?? '')).toMatchObject({ pageId: BOOKSHOP });
});

test('what its owner takes back at Facebook ends the connection', async () => {
  facebook.withdraw();
  expect(await desk.client.expect(200, 'GET', `/connections/${bookshop}?refresh=true`)).toMatchObject({
    status: 'needs_reauth',
  });
});
