import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTikTok } from '@switchboard/simulators';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { sampleVideo, noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

/** TikTok fetches photos, so it needs a publicly resolvable host name. */
const PUBLIC_URL = 'http://switchboard.example.com';
const STATUS = '/v2/post/publish/status/fetch/';

let files: FileServer;
let tiktok: Awaited<ReturnType<typeof startTikTok>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const to = (options: JsonObject = {}) => ({
  targets: [{ connection_id: connectionId, options: { privacy_level: 'PUBLIC_TO_EVERYONE', ...options } }],
});
const clip = (name: string) => files.put(name, sampleVideo);
const asked = (method: string, path: string) =>
  tiktok.exchanges().filter(({ request }) => request.method === method && request.path === path);
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('tiktok');
  tiktok = await startTikTok({
    apps: [app],
    initsPerMinute: 20,
    owns: (url) => url.startsWith(`${PUBLIC_URL}/`),
    async fetchFile(url) {
      const response = await fetch(url.replace(PUBLIC_URL, environment.switchboard.url));
      return response.ok ? response.bytes() : null;
    },
  });
  environment = await openSocialTestEnvironment('tiktok', tiktok, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
    SWITCHBOARD_PUBLIC_URL: PUBLIC_URL,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('an account is connected through the hosted page with a login that is refreshed automatically', async () => {
  connectionId = await environment.connect();
  const { id, username } = tiktok.account();
  expect(await environment.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    platform: 'tiktok',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id, username, url: 'https://www.tiktok.com/@alice' },
  });
});

test('the account’s current options are those that TikTok returns', async () => {
  const path = `/connections/${connectionId}/publishing`;
  const publishing = await environment.client.expect(200, 'GET', path);
  const [privacy] = asObjects(publishing['options']);
  expect(privacy).toMatchObject({ name: 'privacy_level', required: true });
  expect(asObjects(privacy?.['choices']).map(({ value }) => value)).toEqual([
    ...['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
  ]);
  expect(publishing['media']).toMatchObject({ videos: { max_seconds: 300 }, images: { max: 35 } });
});

test('validation requires the privacy level, and checks a video and photos by their own rules', async () => {
  const { id } = await environment.client.expect(201, 'POST', '/social/media', {
    body: { url: clip('valid.mp4').url },
  });
  await eventually('the video is ready', async () => {
    const seen = await environment.client.expect(200, 'GET', `/social/media/${asText(id)}`);
    return seen['status'] === 'ready' ? true : null;
  });
  const problems = async (body: JsonObject) => {
    const answer = await environment.client.expect(200, 'POST', '/social/posts/validate', {
      body: { media: [{ media_id: asText(id) }], ...to(), ...body },
    });
    const [target] = asObjects(answer['targets']);
    return asObjects(target?.['problems']).map(({ path, code }) => `${asText(path)} ${asText(code)}`);
  };
  expect(await problems({ text: 'Fine' })).toEqual([]);
  expect(await problems({ media: [] })).toEqual(['media media.required']);
  expect(await problems({ text: 'x'.repeat(2_201) })).toEqual(['text text.too_long']);
  expect(await problems({ targets: [{ connection_id: connectionId }] })).toEqual([
    'targets.0.options.privacy_level option.required',
  ]);
});

test('a video is uploaded and posted, and has no URL until moderation ends', async () => {
  tiktok.posts.setModerationPending(true);
  const { url, sha256 } = clip('waves.mp4');
  const published = await environment.publishPost({
    text: 'Waves #sea',
    media: [{ url }],
    ...to({ is_aigc: true }),
  });
  expect(published).toMatchObject({ status: 'published', deliveries: [{ url: null }] });
  const [publishId = ''] = listPartIds(published);
  expect(tiktok.posts.find(publishId)).toMatchObject({
    kind: 'video',
    title: 'Waves #sea',
    madeWithAi: true,
    privacy: 'PUBLIC_TO_EVERYONE',
    files: [{ type: 'video/mp4', sha256 }],
  });
  tiktok.posts.setModerationPending(false);
});

test('photos are fetched as JPEG, with a title, and have their own ID', async () => {
  const media = [1, 2].map((at) => ({ url: files.put(`${at}.png`, noisyPng(64, 48)).url }));
  const [target] = to({ auto_add_music: true }).targets;
  const published = await environment.publishPost({
    text: 'Two of them',
    media,
    targets: [{ ...target, title: 'Photos' }],
  });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = listPartIds(published);
  expect(tiktok.posts.find(id)).toMatchObject({
    id,
    kind: 'photo',
    title: 'Photos',
    description: 'Two of them',
    addsMusic: true,
    files: [{ type: 'image/jpeg' }, { type: 'image/jpeg' }],
  });
  expect(asObjects(published['deliveries'])[0]?.['url']).toBe(`https://www.tiktok.com/@alice/photo/${id}`);
});

test('a video whose last response is lost is found by its publish ID, and exists once', async () => {
  const before = [tiktok.posts.createdCount(), tiktok.tasks.begun().length];
  tiktok.faults.add({
    kind: 'reset-after-effect',
    match: { method: 'PUT', path_prefix: '/video/' },
  });
  const media = [{ url: clip('lost.mp4').url }];
  const published = await environment.publishPost({ text: 'Lost & <found>', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect([tiktok.posts.createdCount(), tiktok.tasks.begun().length]).toEqual(before.map((many) => many + 1));
  const [id = ''] = listPartIds(published);
  expect(tiktok.posts.find(id)).toMatchObject({ id, title: 'Lost & <found>' });
});

test('photos whose publish ID is lost are found by their text, and exist once', async () => {
  const before = tiktok.posts.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/v2/post/publish/content/init/');
  const media = [{ url: files.put('lost.png', noisyPng(32, 48)).url }];
  const published = await environment.publishPost({ text: 'Lost photos', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(tiktok.posts.createdCount()).toBe(before + 1);
  expect(tiktok.posts.find(listPartIds(published)[0] ?? '')).toMatchObject({ description: 'Lost photos' });
});

test('an expired token is refreshed during a call, and nothing is started twice', async () => {
  const begun = tiktok.tasks.begun().length;
  tiktok.oauth.expireTokens();
  const media = [{ url: clip('renewed.mp4').url }];
  expect(await environment.publishPost({ text: 'Renewed', media, ...to() })).toMatchObject({
    status: 'published',
  });
  expect(tiktok.tasks.begun()).toHaveLength(begun + 1);
  expect(asked('POST', '/v2/oauth/token/').at(-1)?.request.body).toMatchObject({
    grant_type: 'refresh_token',
    client_key: 'our-app-at-tiktok',
  });
  expect(asked('PUT', '/video/').every(({ request }) => request.headers['authorization'] === undefined)).toBe(
    true,
  );
  expect(asked('POST', STATUS).length).toBeGreaterThan(0);
});

test('an option that the account no longer offers is rejected before TikTok is called', async () => {
  tiktok.change({ isPrivate: true });
  const media = [{ url: clip('private.mp4').url }];
  const refused = await environment.publishPost({ text: 'Public', media, ...to() });
  expect(refused).toMatchObject({
    status: 'failed',
    deliveries: [{ error: { code: 'platform.refused' } }],
  });
  tiktok.change({ isPrivate: false });
});

test('metrics are exactly those that TikTok returns, by the post’s own ID', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ views: 480, likes: 12, comments: 8, shares: 16 });
  expect(report['totals']).toMatchObject({ impressions: null, reach: null, saves: null, clicks: null });
});

test('nothing can be deleted through the API, and disconnecting revokes the current token', async () => {
  const { data } = await environment.client.expect(200, 'GET', '/social/posts');
  const post = asObjects(data).find((one) => one['text'] === 'Renewed');
  const answer = await environment.client.post(`/social/posts/${asText(post?.['id'])}/unpublish`, {});
  expect([answer.status, answer.json['code']]).toEqual([422, 'post.unpublish_unsupported']);
  expect(tiktok.oauth.refreshTokens()).toHaveLength(1);
  await environment.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await eventually('the grant is revoked', async () =>
    tiktok.oauth.refreshTokens().length === 0 ? true : null,
  );
});
