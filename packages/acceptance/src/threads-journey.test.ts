import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startThreads } from '@switchboard/simulators';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText } from './support/json.js';
import { sampleVideo, noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

const ALICE = '24000000000000001';
/** Threads fetches media, so it needs a publicly resolvable host name. */
const PUBLIC_URL = 'http://switchboard.example.com';

let files: FileServer;
let threads: Awaited<ReturnType<typeof startThreads>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const to = (options = {}) => ({ targets: [{ connection_id: connectionId, options }] });
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('threads');
  threads = await startThreads({
    apps: [app],
    async fetchFile(url) {
      const response = await fetch(url.replace(PUBLIC_URL, environment.switchboard.url));
      return response.ok ? response.bytes() : null;
    },
  });
  environment = await openSocialTestEnvironment('threads', threads, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
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
    platform: 'threads',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: ALICE, username: 'alice', url: 'https://www.threads.com/@alice' },
  });
});

test('validation counts an emoji as its bytes, and reports the remaining daily quota', async () => {
  const body = { text: 'Hi 🦋', thread: [{ text: 'More' }], ...to({ topic_tag: 'Butterflies' }) };
  const [target] = asObjects(
    (await environment.client.expect(200, 'POST', '/social/posts/validate', { body }))['targets'],
  );
  expect(target).toMatchObject({ problems: [], text: { used: 7, max: 500 }, quota_left: 250 });
  const wrong = { text: 'Hi', ...to({ topic_tag: 'R&D' }) };
  expect(await environment.client.expect(422, 'POST', '/social/posts', { body: wrong })).toMatchObject({
    errors: [{ path: 'targets.0.options.topic_tag', code: 'option.invalid' }],
  });
});

test('a thread with a carousel, a video and a first comment is published in order', async () => {
  threads.containers.setProcessingPolls(1);
  const images = [files.put('1.png', noisyPng(64, 48)), files.put('2.png', noisyPng(64, 48))];
  const waves = files.put('video.mp4', sampleVideo);
  const published = await environment.publishPost({
    text: 'One of two',
    media: images.map(({ url }, at) => ({ url, alt_text: `Noise ${at}` })),
    thread: [{ text: 'Two of two', media: [{ url: waves.url, alt_text: 'Waves' }] }],
    first_comment: { text: 'More at https://example.com/more' },
    ...to({ reply_control: 'followers_only' }),
  });
  threads.containers.setProcessingPolls(0);
  expect(published).toMatchObject({ status: 'published' });
  const [one = '', two = '', comment = ''] = listPartIds(published);
  expect(threads.posts.find(one)).toMatchObject({
    text: 'One of two',
    audience: 'followers_only',
    repliedTo: null,
    files: images.map(({ sha256 }, at) => ({ type: 'image/png', sha256, altText: `Noise ${at}` })),
  });
  expect(threads.posts.find(two)).toMatchObject({
    text: 'Two of two',
    repliedTo: one,
    files: [{ type: 'video/mp4', sha256: waves.sha256, altText: 'Waves' }],
  });
  expect(threads.posts.find(comment)).toMatchObject({ repliedTo: one, root: one });
  expect(asText(asObjects(published['deliveries'])[0]?.['url'])).toMatch(
    /^https:\/\/www\.threads\.com\/@alice\/post\//,
  );
});

test('a post whose response is lost is found by its container, and exists once', async () => {
  const before = threads.posts.createdCount();
  environment.injectFaultOnce('reset-after-effect', `/v1.0/${ALICE}/threads_publish`);
  const published = await environment.publishPost({
    text: 'Lost & <found>',
    link: 'https://example.com/a?b=c',
    ...to(),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(threads.posts.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(threads.posts.find(id)).toMatchObject({ text: 'Lost & <found>', link: 'https://example.com/a?b=c' });
});

test('metrics are exactly those that Threads returns', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ views: 240, likes: 18, comments: 6, shares: 10 });
  expect(report['totals']).toMatchObject({ impressions: null, reach: null, saves: null });
});

test('a post is deleted, and a disconnected account rejects requests', async () => {
  const published = await environment.publishPost({ text: 'For a moment', ...to() });
  const [id = ''] = listPartIds(published);
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(threads.posts.removed()).toEqual([id]);
  await environment.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await environment.client.expect(404, 'GET', `/connections/${connectionId}`);
  for (const secret of ['secret-of-our-app-at-threads', ...tokensSeen()]) {
    expect(environment.switchboard.logs()).not.toContain(secret);
  }
});

/** Every token that Threads ever received. */
const tokensSeen = (): readonly string[] => [
  ...new Set(
    threads
      .exchanges()
      .flatMap(({ request }) => /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? []),
  ),
];
