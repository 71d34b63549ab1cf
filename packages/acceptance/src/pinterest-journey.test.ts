import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPinterest } from '@switchboard/simulators';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { sampleVideo, longVideo, noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

let files: FileServer;
let pinterest: Awaited<ReturnType<typeof startPinterest>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const recipes = '549755885175';
const to = (options: JsonObject = { board_id: recipes }, more: JsonObject = {}) => ({
  targets: [{ connection_id: connectionId, options, ...more }],
});
const createImage = (name: string) => files.put(name, noisyPng(64, 96));
const findPin = (published: JsonObject) => pinterest.pins.find(listPartIds(published)[0] ?? '');
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('pinterest');
  pinterest = await startPinterest({ apps: [app] });
  environment = await openSocialTestEnvironment('pinterest', pinterest, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('an account is connected through the hosted page with a login that can be refreshed indefinitely', async () => {
  connectionId = await environment.connect();
  expect(await environment.client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
    platform: 'pinterest',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { id: pinterest.account.id, username: 'alice', url: 'https://www.pinterest.com/alice/' },
  });
  const exchange = pinterest.exchanges().find(({ request }) => request.path === '/v5/oauth/token');
  expect(exchange?.request.body).toMatchObject({ continuous_refresh: 'true' });
});

test('the account’s boards and sections are selectable as the target of a pin', async () => {
  const platformInfo = await environment.client.expect(200, 'GET', `/connections/${connectionId}/publishing`);
  expect(platformInfo).toMatchObject({
    media: { required: true },
    options: [
      {
        name: 'board_id',
        required: true,
        choices: [
          { value: recipes, label: 'Recipes' },
          { value: `${recipes}/549755885201`, label: 'Recipes › Salads' },
          { value: `${recipes}/549755885202`, label: 'Recipes › Soups' },
          { value: '549755885176', label: 'Garden' },
        ],
      },
      { name: 'cover_second', required: false },
    ],
  });
});

test('an invalid pin is rejected before it is sent', async () => {
  const problemsOf = async (body: JsonObject) => {
    const said = await environment.client.expect(200, 'POST', '/social/posts/validate', { body });
    return asObjects(asObjects(said['targets'])[0]?.['problems']).map(({ code }) => code);
  };
  const media = [{ url: createImage('any.png').url }];
  expect(await problemsOf({ text: 'Soup', ...to() })).toEqual(['media.required']);
  expect(await problemsOf({ text: 'Soup', media, ...to({}) })).toEqual(['option.required']);
  expect(await problemsOf({ text: 'é'.repeat(801), media, ...to() })).toEqual(['text.too_long']);
  expect(await problemsOf({ text: 'Soup', media, thread: [{ text: 'More' }], ...to() })).toEqual([
    'thread.unsupported',
  ]);
  const short = [{ url: files.put('short.mp4', sampleVideo).url }];
  const refused = await environment.publishPost({ text: 'Too short', media: short, ...to() });
  expect(refused).toMatchObject({ status: 'failed' });
  expect(pinterest.pins.createdCount()).toBe(0);
});

test('a pin with its title, link and alternative text is created in the selected section', async () => {
  const bowl = createImage('bowl.png');
  const published = await environment.publishPost({
    text: 'With bread 🍞',
    link: 'https://example.com/soup?a=b',
    media: [{ url: bowl.url, alt_text: 'A bowl' }],
    ...to({ board_id: `${recipes}/549755885202` }, { title: 'Soup' }),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(findPin(published)).toMatchObject({
    title: 'Soup',
    description: 'With bread 🍞',
    link: 'https://example.com/soup?a=b',
    boardId: recipes,
    sectionId: '549755885202',
    altText: 'A bowl',
    files: [{ type: 'image/png', sha256: bowl.sha256 }],
  });
  expect(asObjects(published['deliveries'])[0]).toMatchObject({
    url: `https://www.pinterest.com/pin/${listPartIds(published)[0]}/`,
  });
});

test('several images become a carousel in the given order', async () => {
  const images = ['1.png', '2.png', '3.png'].map(createImage);
  const published = await environment.publishPost({ media: images.map(({ url }) => ({ url })), ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(findPin(published)?.files.map(({ sha256 }) => sha256)).toEqual(images.map(({ sha256 }) => sha256));
});

test('a video is uploaded to Pinterest’s upload URL, polled, and published with the selected cover', async () => {
  pinterest.media.setProcessingPolls(2);
  const waves = files.put('waves.mp4', longVideo);
  const options = { board_id: recipes, cover_second: '2' };
  const published = await environment.publishPost({
    text: 'Waves',
    media: [{ url: waves.url }],
    ...to(options),
  });
  expect(published).toMatchObject({ status: 'published' });
  const sha256 = createHash('sha256').update(longVideo).digest('hex');
  expect(findPin(published)).toMatchObject({ coverSecond: 2, files: [{ type: 'video/mp4', sha256 }] });
  const upload = pinterest.exchanges().find(({ request }) => request.path === '/pinterest-media-upload/');
  expect(upload?.request.headers).not.toHaveProperty('authorization');
});

test('a pin whose response is lost is found by reading back, and exists once', async () => {
  const before = pinterest.pins.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/v5/pins');
  const body = {
    text: 'Lost and found',
    link: 'https://example.com/',
    media: [{ url: createImage('l.png').url }],
  };
  const published = await environment.publishPost({ ...body, ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(pinterest.pins.createdCount()).toBe(before + 1);
  expect(findPin(published)?.description).toBe('Lost and found');
});

test('Pinterest’s error for an app with trial access reaches the caller', async () => {
  pinterest.onTrial(true);
  const refused = await environment.publishPost({
    text: 'Not yet',
    media: [{ url: createImage('t.png').url }],
    ...to(),
  });
  pinterest.onTrial(false);
  expect(refused).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(asObjects(refused['deliveries'])[0])).toContain('Apps with Trial access');
});

test('metrics are exactly those since a pin was created', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  const totals = { impressions: 4 * 240, likes: 40, comments: 8, saves: 20, clicks: 80 };
  expect(report['totals']).toMatchObject({ ...totals, views: null, reach: null, shares: null });
});

test('an expired token is refreshed during a call, and a pin is deleted', async () => {
  pinterest.oauth.expireTokens();
  const published = await environment.publishPost({
    text: 'For a moment',
    media: [{ url: createImage('m.png').url }],
    ...to(),
  });
  expect(published).toMatchObject({ status: 'published' });
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(findPin(published)).toBeNull();
});

test('a grant revoked by the account owner is reported, and the account can be disconnected', async () => {
  pinterest.oauth.withdraw(pinterest.account.id);
  const at = `/connections/${connectionId}`;
  const refused = await environment.client.expect(409, 'GET', `${at}/publishing`);
  expect(refused).toMatchObject({ code: 'connection.needs_reauth' });
  expect(await environment.client.expect(200, 'GET', at)).toMatchObject({ status: 'needs_reauth' });
  await environment.client.expect(204, 'DELETE', at);
});
