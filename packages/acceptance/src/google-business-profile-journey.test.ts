import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startGoogleBusinessProfile } from '@switchboard/simulators';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { noisyPng } from './support/sample-media.js';
import {
  createSocialApp,
  listPartIds,
  openSocialTestEnvironment,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

/** Google fetches images, so it needs a publicly resolvable host name. */
const PUBLIC_URL = 'http://switchboard.example.com';
const KILN = 'accounts/104215/locations/5550001112223334445';
const BATH = 'accounts/993001/locations/3225894654666374777';

let files: FileServer;
let google: Awaited<ReturnType<typeof startGoogleBusinessProfile>>;
let environment: SocialTestEnvironment;
let [kiln, bath] = ['', ''];
const to = (options: JsonObject = {}, connection_id = bath) => ({ targets: [{ connection_id, options }] });
const event = {
  event_title: 'Rye week',
  event_start: '2026-12-01',
  event_end: '2026-12-07T18:30',
};
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('google_business_profile');
  google = await startGoogleBusinessProfile({
    apps: [app],
    async fetchFile(url) {
      const response = await fetch(url.replace(PUBLIC_URL, environment.switchboard.url));
      return response.ok ? response.bytes() : null;
    },
  });
  environment = await openSocialTestEnvironment('google_business_profile', google, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
    SWITCHBOARD_PUBLIC_URL: PUBLIC_URL,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('a login lists the locations of all its accounts, and the selected ones are connected', async () => {
  const { offered, ids } = await environment.connectSeveral(2);
  expect(offered.match(/The Old Forge|1 Mill Lane|20 Harbour Road/g)).toEqual([
    'The Old Forge',
    '1 Mill Lane',
    '20 Harbour Road',
  ]);
  const connections = await Promise.all(
    ids.map((id) => environment.client.expect(200, 'GET', `/connections/${id}?refresh=true`)),
  );
  const idOf = (location: string) =>
    asText(connections.find(({ account }) => (account as JsonObject)['id'] === location)?.['id'] ?? '');
  [kiln, bath] = [idOf(KILN), idOf(BATH)];
  expect(connections.find(({ id }) => id === bath)).toMatchObject({
    platform: 'google_business_profile',
    status: 'active',
    missing_permissions: [],
    expires_at: null,
    account: { name: 'Alice’s Bakery (1 Mill Lane, Bath)' },
  });
});

test('an incomplete offer is rejected before it is sent, with what is missing', async () => {
  const body = { text: 'Half price', ...to({ topic_type: 'offer', coupon_code: 'RYE' }) };
  const refused = await environment.client.expect(422, 'POST', '/social/posts', { body });
  expect(asObjects(refused['errors']).map(({ path, code }) => [path, code])).toEqual(
    ['event_title', 'event_start', 'event_end'].map((name) => [
      `targets.0.options.${name}`,
      'option.required',
    ]),
  );
  expect(google.posts.createdCount()).toBe(0);
});

test('an offer with an image, a coupon and a link is published once Google has processed it', async () => {
  google.processing.setProcessingPolls(1);
  const loaf = files.put('loaf.png', noisyPng(480, 360));
  const published = await environment.publishPost({
    text: 'Rye bread at half price',
    link: 'https://example.com/rye',
    media: [{ url: loaf.url }],
    ...to({ topic_type: 'offer', ...event, coupon_code: 'RYE', terms: 'One each' }),
  });
  google.processing.setProcessingPolls(0);
  expect(published).toMatchObject({ status: 'published' });
  const [name = ''] = listPartIds(published);
  expect(google.find(name)).toMatchObject({
    parent: BATH,
    topicType: 'OFFER',
    summary: 'Rye bread at half price',
    event: { title: 'Rye week', schedule: { endTime: { hours: 18, minutes: 30 } } },
    offer: { couponCode: 'RYE', redeemOnlineUrl: 'https://example.com/rye', termsConditions: 'One each' },
    files: [{ type: 'image/png', sha256: loaf.sha256 }],
  });
  const [delivery] = asObjects(published['deliveries']);
  expect(delivery?.['url']).toContain('https://local.google.com/place?');
});

test('a published event is edited', async () => {
  const published = await environment.publishPost({
    text: 'Open till six',
    ...to({ topic_type: 'event', ...event, call_to_action: 'call' }, kiln),
  });
  const id = asText(published['id']);
  const body = { text: 'Open till eight', edit_published: true };
  await environment.client.expect(200, 'PATCH', `/social/posts/${id}`, { body });
  await eventually('the post is edited', async () => (google.posts.edits().length > 0 ? true : null));
  const [name = ''] = listPartIds(published);
  expect(google.find(name)).toMatchObject({
    parent: KILN,
    summary: 'Open till eight',
    callToAction: { actionType: 'CALL' },
    event: { title: 'Rye week' },
  });
});

test('a post whose response is lost is found by reading back, and exists once', async () => {
  const before = google.posts.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/v4/');
  const published = await environment.publishPost({
    text: 'Lost and found',
    link: 'https://example.com/menu',
    ...to({ call_to_action: 'order' }),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(google.posts.createdCount()).toBe(before + 1);
  expect(google.find(listPartIds(published)[0] ?? '')?.callToAction).toEqual({
    actionType: 'ORDER',
    url: 'https://example.com/menu',
  });
});

test('a post that Google rejects fails with the reason', async () => {
  google.processing.setProcessingFails(true);
  const rejected = await environment.publishPost({ text: 'Call 555 0100', ...to() });
  google.processing.setProcessingFails(false);
  expect(rejected).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(asObjects(rejected['deliveries'])[0])).toContain('content policy');
});

test('an expired token is refreshed during a call, and a post is deleted', async () => {
  google.oauth.expireTokens();
  const published = await environment.publishPost({ text: 'For a moment', ...to() });
  expect(published).toMatchObject({ status: 'published' });
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(google.find(listPartIds(published)[0] ?? '')).toBeNull();
});

test('views and actions of a location are gains of its days, and no metrics of posts', async () => {
  const report = async (basis: string) =>
    environment.client.expect(200, 'GET', '/social/analytics', {
      query: { connection_id: bath, basis, granularity: 'day' },
    });
  const activity = await report('activity');
  const known = asObjects(activity['series']).flatMap(({ metrics }) => {
    const { views, clicks } = metrics as JsonObject;
    return views === null ? [] : [[views, clicks]];
  });
  // The last three of thirty days are not reported yet.
  expect(known).toEqual(Array.from({ length: 27 }, () => [74, 14]));
  expect(activity['totals']).toMatchObject({ views: 27 * 74, clicks: 27 * 14, likes: null, reach: null });
  expect(activity['coverage']).toMatchObject({ views: { platforms: ['google_business_profile'] } });
  const published = await report('published');
  expect(published['totals']).toMatchObject({ views: null, clicks: null });
  expect(published['notes']).toMatchObject([
    { code: 'analytics.by_day', message: expect.stringContaining('basis=activity') },
  ]);
  expect(published['coverage']).toMatchObject({
    views: { reasons: { google_business_profile: 'not_provided' } },
  });
});

test('the grant of a user is revoked with the last of the locations', async () => {
  const revocations = () => google.oauth.revoked().length;
  await environment.client.expect(204, 'DELETE', `/connections/${kiln}`);
  const published = await environment.publishPost({ text: 'Still connected', ...to() });
  expect(published).toMatchObject({ status: 'published' });
  expect(revocations()).toBe(0);
  await environment.client.expect(204, 'DELETE', `/connections/${bath}`);
  await eventually('the grant is revoked', async () => (revocations() > 0 ? true : null));
});
