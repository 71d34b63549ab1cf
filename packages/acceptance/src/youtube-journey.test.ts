import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startYouTube, YOUTUBE_SCOPES } from '@switchboard/simulators';
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
let youtube: Awaited<ReturnType<typeof startYouTube>>;
let environment: SocialTestEnvironment;
let connectionId: string;
let video: string;
let cover: { readonly url: string; readonly sha256: string };
const options = { made_for_kids: false };
const post = (body: object) => ({
  targets: [{ connection_id: connectionId, title: 'Firing the kiln', options }],
  ...body,
});
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('youtube');
  youtube = await startYouTube({ apps: [app] });
  environment = await openSocialTestEnvironment('youtube', youtube, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
  });
  video = files.put('video.mp4', sampleVideo).url;
  cover = files.put('cover.png', noisyPng(64, 36));
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('a channel is connected through the hosted page, and a declined permission is reported', async () => {
  const [, , numbers = ''] = YOUTUBE_SCOPES;
  const { session } = await environment.completeConsent({ declined: numbers });
  [connectionId = ''] = session['connection_ids'] as string[];
  const connection = () => environment.client.expect(200, 'GET', `/connections/${connectionId}`);
  expect(await connection()).toMatchObject({ status: 'degraded', missing_permissions: [numbers] });
  expect(await environment.connect()).toBe(connectionId);
  expect(await connection()).toMatchObject({
    platform: 'youtube',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: youtube.channel.id, username: '@aliceskiln', name: 'Alice’s kiln' },
  });
  const [asked] = youtube.exchanges().filter(({ request }) => request.path === '/o/oauth2/v2/auth');
  expect(Object.fromEntries(asked?.request.query ?? [])).toMatchObject({
    access_type: 'offline',
    prompt: 'consent',
    code_challenge_method: 'S256',
    scope: YOUTUBE_SCOPES.join(' '),
  });
});

test('validation counts as YouTube does, and reports what YouTube would reject', async () => {
  const validate = (body: object) =>
    environment.client.expect(200, 'POST', '/social/posts/validate', { body: { ...body } });
  const problemsOf = async (body: object) =>
    asObjects(asObjects((await validate(body))['targets'])[0]?.['problems']).map(({ code }) => code);
  expect(await validate(post({ text: 'Tóna', media: [{ url: video }] }))).toMatchObject({
    valid: true,
    targets: [{ text: { used: 5, max: 5_000, unit: 'bytes' } }],
  });
  const to = { connection_id: connectionId };
  expect(await problemsOf({ text: '2 < 3', targets: [to] })).toEqual([
    ...['option.required', 'media.required', 'text.character_unsupported', 'option.required'],
  ]);
  const tags = Array.from({ length: 50 }, (_, at) => `wheel throwing ${at}`);
  const wordy = { ...to, title: 'Pots', options: { ...options, tags } };
  expect(await problemsOf({ media: [{ url: video }], targets: [wordy] })).toEqual(['option.invalid']);
  const hidden = { ...to, title: 'Pots', options: { ...options, visibility: 'private' } };
  const first_comment = { text: 'First' };
  expect(await problemsOf({ media: [{ url: video }], first_comment, targets: [hidden] })).toEqual([
    'comment.unsupported',
  ]);
});

test('a video with a thumbnail and a first comment is published, and stays private until its thumbnail is set', async () => {
  const published = await environment.publishPost(
    post({
      text: 'How we do it',
      link: 'https://kiln.example/',
      media: [{ url: video }, { url: cover.url }],
      first_comment: { text: 'Ask us anything' },
    }),
  );
  expect(published).toMatchObject({ status: 'published' });
  const [id = '', comment = ''] = listPartIds(published);
  expect(youtube.videos.find(id)).toMatchObject({
    title: 'Firing the kiln',
    description: 'How we do it\nhttps://kiln.example/',
    selfDeclaredMadeForKids: false,
    thumbnail: { type: 'image/png', sha256: cover.sha256 },
  });
  expect(youtube.videos.shownAs(id)).toEqual(['private', 'public']);
  expect(youtube.videos.comment(comment)).toMatchObject({ videoId: id, text: 'Ask us anything' });
  expect(asObjects(published['deliveries'])[0]).toMatchObject({
    url: `https://www.youtube.com/watch?v=${id}`,
  });
});

test('a video whose last response is lost is found by its upload, and exists once', async () => {
  const before = youtube.videos.createdCount();
  youtube.videos.listsUploads(false);
  youtube.faults.add({
    kind: 'reset-after-effect',
    match: { method: 'PUT', path_prefix: '/upload/youtube/v3/videos' },
  });
  const published = await environment.publishPost(post({ text: 'Lost & found', media: [{ url: video }] }));
  expect(published).toMatchObject({ status: 'published' });
  youtube.videos.listsUploads(true);
  expect([youtube.videos.createdCount() - before, youtube.uploads.begun()]).toEqual([1, 2]);
});

test('metrics are exactly those that YouTube returns, including shares from the second API', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ views: 642, likes: 24, comments: 1, shares: 14 });
  expect(report['totals']).toMatchObject({ impressions: null, saves: null });
});

test('a video is deleted with its comment, and disconnecting revokes the tokens', async () => {
  const comments = { first_comment: { text: 'For a moment' } };
  const published = await environment.publishPost(
    post({ text: 'For a moment', media: [{ url: video }], ...comments }),
  );
  const [id = '', comment = ''] = listPartIds(published);
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect([youtube.videos.find(id), youtube.videos.comment(comment)]).toEqual([null, null]);
  const before = youtube.oauth.revoked().length;
  await environment.client.expect(204, 'DELETE', `/connections/${connectionId}`);
  await eventually('both tokens are revoked', async () =>
    youtube.oauth.revoked().length === before + 2 ? true : null,
  );
});
