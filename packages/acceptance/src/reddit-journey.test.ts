import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startReddit } from '@switchboard/simulators';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText } from './support/json.js';
import { sampleVideo, noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

let files: FileServer;
let reddit: Awaited<ReturnType<typeof startReddit>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const to = (options: Readonly<Record<string, unknown>> = {}) => ({
  targets: [
    {
      connection_id: connectionId,
      title: 'A pot of mine',
      options: { subreddit: 'r/Pottery', ...options },
    },
  ],
});
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('reddit');
  reddit = await startReddit({ apps: [app] });
  environment = await openSocialTestEnvironment('reddit', reddit, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
    // Reddit rate limits requests without a User-Agent of this form.
    SWITCHBOARD_REDDIT_USER_AGENT: 'web:com.example.pots:v1.2 (by /u/potter_admin)',
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('an account is connected through the hosted page with a permanent grant', async () => {
  connectionId = await environment.connect();
  expect(await environment.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    platform: 'reddit',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: reddit.account.id, username: 'alice_throws', name: 'Alice' },
  });
});

test('the possible targets are listed with their flairs', async () => {
  const publishing = await environment.client.expect(200, 'GET', `/connections/${connectionId}/publishing`);
  const choices = (name: string) => {
    const option = asObjects(publishing['options']).find((one) => one['name'] === name);
    return asObjects(option?.['choices']).map(({ label }) => label);
  };
  expect(choices('subreddit')).toEqual([
    'u/alice_throws, the profile',
    'r/kilns: text, links, images, videos',
    'r/Pottery: text, links, images, videos',
    'r/quietpots: text, links, images, videos',
  ]);
  expect(choices('flair')).toEqual(['r/Pottery: Discussion', 'r/Pottery: Finished & fired']);
});

test('validation reports missing requirements and targets without permission to post', async () => {
  const [target] = to().targets;
  const body = { text: 'Hello', targets: [{ ...target, title: undefined, options: { subreddit: 'r/all' } }] };
  expect(await environment.client.expect(200, 'POST', '/social/posts/validate', { body })).toMatchObject({
    valid: false,
    targets: [{ problems: [{ code: 'option.required' }, { code: 'option.invalid' }] }],
  });
});

test('a post against the subreddit’s rules is rejected before anything is sent', async () => {
  const before = reddit.posts.createdCount();
  const published = await environment.publishPost({ text: 'My glaze', ...to({ subreddit: 'glazes' }) });
  expect(published).toMatchObject({
    status: 'failed',
    deliveries: [
      {
        error: {
          code: 'platform.refused',
          message: 'The subreddit requires one of these words in the title.',
          platform: { message: '[Cone 6], [Cone 10]' },
        },
      },
    ],
  });
  expect(reddit.exchanges().some(({ request }) => request.path === '/api/submit')).toBe(false);
  expect(reddit.posts.createdCount()).toBe(before);
});

test('an image is published when Reddit lists it, with its flair, its body and a first comment', async () => {
  reddit.mediaPolls(2);
  const image = files.put('1.png', noisyPng(64, 48));
  const published = await environment.publishPost({
    text: 'Cone 6, *oxidation*',
    media: [{ url: image.url }],
    first_comment: { text: 'Ask me' },
    ...to({ flair: 'finished & fired', flair_text: 'Fired!', nsfw: true }),
  });
  expect(published).toMatchObject({ status: 'published' });
  const [one = '', comment = ''] = listPartIds(published);
  expect(reddit.posts.findPost(one)).toMatchObject({
    kind: 'image',
    subreddit: 'Pottery',
    title: 'A pot of mine',
    text: 'Cone 6, *oxidation*',
    nsfw: true,
    flair: { text: 'Fired!' },
    media: [{ type: 'image/png', sha256: image.sha256 }],
  });
  expect(reddit.posts.findComment(comment)).toMatchObject({ parent: one, text: 'Ask me' });
  const [delivery] = asObjects(published['deliveries']);
  expect(delivery?.['url']).toBe(
    `https://www.reddit.com/r/Pottery/comments/${one.replace('t3_', '')}/a_pot_of_mine/`,
  );
});

test('a video whose response is lost is found by its upload, and exists once', async () => {
  reddit.mediaPolls(0);
  const before = reddit.posts.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/api/submit');
  const waves = files.put('video.mp4', sampleVideo);
  const published = await environment.publishPost({
    media: [{ url: waves.url }],
    ...to({ subreddit: 'u/alice_throws' }),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(reddit.posts.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(reddit.posts.findPost(id)).toMatchObject({ kind: 'video', subreddit: 'u_alice_throws' });
});

test('a link whose response is lost is found by reading back, and exists once', async () => {
  const before = reddit.posts.createdCount();
  environment.injectFaultOnce('500-after', '/api/submit');
  const link = 'https://example.com/kiln?a=b&c=d';
  const published = await environment.publishPost({
    text: 'Salt & <soda>',
    link,
    ...to({ subreddit: 'potterylinks' }),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(reddit.posts.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(reddit.posts.findPost(id)).toMatchObject({ kind: 'link', url: link, text: 'Salt & <soda>' });
});

test('a rate-limited account reports the wait, and its post is published later', async () => {
  reddit.mustWait(540);
  const created = await environment.client.expect(201, 'POST', '/social/posts', {
    body: { text: 'Too soon', ...to() },
  });
  const path = `/social/posts/${asText(created['id'])}`;
  const waiting = await eventually('the post waits', async () => {
    const [delivery] = asObjects((await environment.client.expect(200, 'GET', path))['deliveries']);
    return delivery?.['status'] === 'retrying' ? delivery : null;
  });
  expect(waiting).toMatchObject({ error: { code: 'platform.rate_limited' } });
  const waitMs = Date.parse(asText(waiting['next_attempt_at'])) - Date.parse(asText(created['created_at']));
  expect(waitMs).toBeGreaterThan(530_000);
  reddit.mustWait(0);
  await environment.client.expect(200, 'POST', `${path}/cancel`, { body: {} });
});

test('metrics are exactly those that Reddit returns', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ likes: 51, comments: 1, shares: 6 });
  expect(report['totals']).toMatchObject({ views: null, impressions: null, saves: null });
});

test('an expired token is refreshed during a call, with a refresh token that is valid once', async () => {
  const before = reddit.oauth.refreshTokens();
  reddit.oauth.expireTokens();
  expect(await environment.publishPost({ text: 'A day later', ...to() })).toMatchObject({
    status: 'published',
  });
  expect(reddit.oauth.refreshTokens()).not.toEqual(before);
});

test('a post is deleted, and disconnecting revokes the tokens', async () => {
  const published = await environment.publishPost({ text: 'For a moment', ...to() });
  const [id = ''] = listPartIds(published);
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(reddit.posts.exists(id)).toBe(false);
  await environment.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await eventually('both tokens are revoked', async () =>
    reddit.oauth.revoked().length === 2 ? true : null,
  );
});

test('a grant revoked by the account owner is reported as needing reauthentication', async () => {
  const again = await environment.connect();
  reddit.oauth.withdraw(reddit.account.name);
  const created = await environment.client.expect(201, 'POST', '/social/posts', {
    body: {
      text: 'Not allowed',
      targets: [{ connection_id: again, title: 'A pot', options: { subreddit: 'r/Pottery' } }],
    },
  });
  const path = `/social/posts/${asText(created['id'])}`;
  await eventually('the post is blocked', async () => {
    const [delivery] = asObjects((await environment.client.expect(200, 'GET', path))['deliveries']);
    return delivery?.['status'] === 'blocked' ? delivery : null;
  });
  expect(await environment.client.expect(200, 'GET', `/connections/${again}`)).toMatchObject({
    status: 'needs_reauth',
  });
});
