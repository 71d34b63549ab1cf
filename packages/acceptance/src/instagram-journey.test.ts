import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startInstagram } from '@switchboard/simulators';
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

const ALICE = '17841400000000001';
const BOOKSHOP = '17841400000000002';
const WAY = 'facebook_page';
/** Instagram fetches media, so it needs a publicly resolvable host name. */
const PUBLIC_URL = 'http://switchboard.example.com';

let files: FileServer;
let instagram: Awaited<ReturnType<typeof startInstagram>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const to = (options = {}) => ({ targets: [{ connection_id: connectionId, options }] });
const createImage = (name: string, width = 64, height = 48) => files.put(name, noisyPng(width, height)).url;
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('instagram');
  const facebookApp = createSocialApp('facebook');
  facebookApp.redirectUris.push(`${PUBLIC_URL}/oauth/callback/instagram`);
  instagram = await startInstagram({
    apps: [app],
    pageApps: [facebookApp],
    async fetchFile(url) {
      const response = await fetch(url.replace(PUBLIC_URL, environment.switchboard.url));
      return response.ok ? response.bytes() : null;
    },
  });
  environment = await openSocialTestEnvironment('instagram', instagram, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: `${files.host},${new URL(instagram.facebook.url).host}`,
    SWITCHBOARD_FACEBOOK_BASE_URL: instagram.facebook.url,
    SWITCHBOARD_FACEBOOK_CLIENT_ID: facebookApp.clientId,
    SWITCHBOARD_FACEBOOK_CLIENT_SECRET: facebookApp.clientSecret,
    SWITCHBOARD_PUBLIC_URL: PUBLIC_URL,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('an account is connected through the hosted page with a long-lived token', async () => {
  connectionId = await environment.connect();
  expect(await environment.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    platform: 'instagram',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: ALICE, username: 'alice', url: 'https://www.instagram.com/alice/' },
  });
});

test('a permission that the account owner declined is reported', async () => {
  const { session } = await environment.completeConsent({ declined: 'instagram_business_manage_insights' });
  const [id = ''] = session['connection_ids'] as string[];
  expect(id).toBe(connectionId);
  expect(await environment.client.expect(200, 'GET', `/connections/${id}`)).toMatchObject({
    status: 'degraded',
    missing_permissions: ['instagram_business_manage_insights'],
  });
  expect(await environment.connect()).toBe(connectionId);
});

test('validation requires an image or video, counts hashtags, and reports the remaining daily quota', async () => {
  const validate = async (body: object) => {
    const answer = await environment.client.expect(200, 'POST', '/social/posts/validate', {
      body: { ...body },
    });
    return asObjects(answer['targets'])[0];
  };
  expect(await validate({ text: 'Only words', ...to() })).toMatchObject({
    problems: [{ path: 'media', code: 'media.required' }],
  });
  const tags = Array.from({ length: 31 }, (_, at) => `#tag${at}`).join(' ');
  const media = [{ url: createImage('valid.png') }];
  expect(await validate({ text: tags, media, ...to() })).toMatchObject({
    problems: [{ code: 'text.too_many_hashtags' }],
  });
  expect(await validate({ text: 'Hello', media, ...to() })).toMatchObject({
    problems: [],
    quota_left: 100,
    text: { used: 5, max: 2_200 },
  });
});

test('ineligible media is rejected before it is sent: a video that is too short, an image that is too tall', async () => {
  for (const url of [files.put('short.mp4', sampleVideo).url, createImage('tall.png', 10, 60)]) {
    const { id } = await environment.client.expect(201, 'POST', '/social/media', { body: { url } });
    const media = [{ media_id: asText(id) }];
    await eventually('the media is processed', async () => {
      const seen = await environment.client.expect(200, 'GET', `/social/media/${asText(id)}`);
      return seen['status'] === 'processing' ? null : seen;
    });
    const body = { text: 'No', media, ...to() };
    expect(await environment.client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
      code: 'post.invalid',
    });
  }
});

test('a carousel is published as JPEG with alternative text and a comment below', async () => {
  instagram.containers.setProcessingPolls(1);
  const media = [1, 2].map((at) => ({ url: createImage(`${at}.png`), alt_text: `Noise ${at}` }));
  const published = await environment.publishPost({
    text: 'Two images',
    media,
    first_comment: { text: 'Sources' },
    ...to(),
  });
  instagram.containers.setProcessingPolls(0);
  expect(published).toMatchObject({ status: 'published' });
  const [post = '', comment = ''] = listPartIds(published);
  expect(instagram.media.find(post)).toMatchObject({
    caption: 'Two images',
    product: 'FEED',
    files: [1, 2].map((at) => ({
      type: 'image/jpeg',
      altText: `Noise ${at}`,
      size: { width: 64, height: 48 },
    })),
  });
  expect(instagram.media.comment(comment)).toMatchObject({ mediaId: post, text: 'Sources' });
  expect(asText(asObjects(published['deliveries'])[0]?.['url'])).toMatch(
    /^https:\/\/www\.instagram\.com\/p\//,
  );
});

test('a post whose response is lost is found by its container, and exists once', async () => {
  const before = instagram.media.createdCount();
  environment.injectFaultOnce('reset-after-effect', `/v25.0/${ALICE}/media_publish`);
  const media = [{ url: createImage('lost.png') }];
  const published = await environment.publishPost({ text: 'Lost & <found>', media, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(instagram.media.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(instagram.media.find(id)).toMatchObject({ caption: 'Lost & <found>' });
});

test('a story has no caption', async () => {
  const media = [{ url: createImage('story.png', 30, 40) }];
  const published = await environment.publishPost({ media, ...to({ post_type: 'story' }) });
  expect(published).toMatchObject({ status: 'published' });
  const [id = ''] = listPartIds(published);
  expect(instagram.media.find(id)).toMatchObject({ product: 'STORY', caption: '' });
});

test('metrics are those that Instagram returns, with fewer for a story', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
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

test('Instagram’s own login cannot delete posts, and the error names the alternative', async () => {
  const { data } = await environment.client.expect(200, 'GET', '/social/posts');
  const post = asObjects(data).find((one) => one['text'] === 'Lost & <found>');
  const path = `/social/posts/${asText(post?.['id'])}/unpublish`;
  const answer = await environment.client.post(path, {});
  expect([answer.status, answer.json['code']]).toEqual([422, 'platform.permission_missing']);
  expect(answer.json['detail']).toContain('connect the account through its Facebook Page');
});

describe('through Facebook Pages', () => {
  let bookshop: string;
  let post: JsonObject;
  const toBookshop = { targets: [{ connection_id: '' }] };

  test('a Facebook login lists the Instagram accounts of its pages, and each connection gets its own token', async () => {
    const { offered, ids } = await environment.connectSeveral(2, {}, WAY);
    expect(['alice', 'bookshop', 'cinema', 'Club'].filter((name) => offered.includes(name))).toEqual([
      'alice',
      'bookshop',
    ]);
    // The account connected with Instagram's own login keeps its connection.
    expect(ids).toContain(connectionId);
    bookshop = ids.find((id) => id !== connectionId) ?? '';
    toBookshop.targets = [{ connection_id: bookshop }];
    for (const [id, account] of [[connectionId, ALICE] as const, [bookshop, BOOKSHOP] as const]) {
      expect(await environment.client.expect(200, 'GET', `/connections/${id}?refresh=true`)).toMatchObject({
        status: 'active',
        missing_permissions: [],
        expires_at: null,
        account: { id: account },
        capabilities: ['publishing', 'analytics'],
      });
    }
  });

  test('declined permissions are reported by their own names, and Instagram’s own login lacks none of them', async () => {
    const missing = async () =>
      (await environment.client.expect(200, 'GET', `/connections/${connectionId}`))['missing_permissions'];
    await environment.connectSeveral(1, { declined: 'instagram_manage_insights' }, WAY);
    expect(await missing()).toEqual(['instagram_manage_insights']);
    expect(await environment.connect()).toBe(connectionId);
    expect(await missing()).toEqual([]);
  });

  test('a post whose response is lost is found at the host of this login, and exists once', async () => {
    const media = [{ url: createImage('page.png'), alt_text: 'Noise' }];
    const body = { text: 'New books', media, first_comment: { text: 'Come in' }, ...toBookshop };
    const { targets } = await environment.client.expect(200, 'POST', '/social/posts/validate', { body });
    expect(asObjects(targets)[0]).toMatchObject({ problems: [], quota_left: 100 });
    /** Requests at the host of Instagram's own login, without the metrics that the worker reads there meanwhile. */
    const requestsOfOwnLogin = () =>
      instagram
        .exchanges()
        .filter(
          ({ request: { path, query } }) =>
            !path.endsWith('/insights') && query.get('fields') !== 'followers_count',
        ).length;
    const [before, own] = [instagram.media.createdCount(), requestsOfOwnLogin()];
    const match = { method: 'POST', path_prefix: `/v25.0/${BOOKSHOP}/media_publish` };
    instagram.facebook.faults.add({ kind: 'reset-after-effect', match });
    post = await environment.publishPost(body);
    expect(post).toMatchObject({ status: 'published' });
    expect(instagram.media.createdCount()).toBe(before + 2);
    const [id = '', comment = ''] = listPartIds(post);
    expect(instagram.media.find(id)).toMatchObject({ accountId: BOOKSHOP, caption: 'New books' });
    expect(instagram.media.comment(comment)).toMatchObject({ mediaId: id, text: 'Come in' });
    expect(requestsOfOwnLogin()).toBe(own);
  });

  test('the post has metrics', async () => {
    const query = { connection_id: bookshop, group_by: 'post' };
    const report = await environment.client.expect(200, 'GET', '/social/analytics', { query });
    expect(report['totals']).toMatchObject({ views: 120, reach: 80, saves: 4 });
  });

  test('it is deleted with its comment', async () => {
    const path = `/social/posts/${asText(post['id'])}/unpublish`;
    expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
      status: 'deleted',
    });
    const [id = '', comment = ''] = listPartIds(post);
    expect([instagram.media.find(id), instagram.media.comment(comment)]).toEqual([null, null]);
  });

  test('disconnecting one account revokes nothing, and a grant revoked at Facebook ends the other connection', async () => {
    await environment.connectSeveral(2, {}, WAY);
    await environment.client.expect(204, 'DELETE', `/connections/${connectionId}`);
    await environment.client.expect(404, 'GET', `/connections/${connectionId}`);
    const read = () => environment.client.expect(200, 'GET', `/connections/${bookshop}?refresh=true`);
    expect(await read()).toMatchObject({ status: 'active' });
    instagram.ofPages.withdraw();
    expect(await read()).toMatchObject({ status: 'needs_reauth' });
  });
});
