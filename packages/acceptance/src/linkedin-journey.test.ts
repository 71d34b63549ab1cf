import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLinkedIn } from '@switchboard/simulators';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObject, asObjects, asText } from './support/json.js';
import { noisyPng, pdfDocument, slowVideo } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

let files: FileServer;
let linkedIn: Awaited<ReturnType<typeof startLinkedIn>>;
let environment: SocialTestEnvironment;
let member: string;
let page: string;
const to = (connectionId: string, options = {}) => ({ targets: [{ connection_id: connectionId, options }] });
beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('linkedin');
  linkedIn = await startLinkedIn({ apps: [app] });
  environment = await openSocialTestEnvironment('linkedin', linkedIn, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

test('a member and a page are connected with one login, which expires in a year regardless of refreshes', async () => {
  const { offered, ids } = await environment.connectSeveral(2, {}, 'pages');
  expect(['Alice Field', 'Field Bakery'].filter((name) => offered.includes(name))).toHaveLength(2);
  const urls = ['https://www.linkedin.com/in/alice-field/', 'https://www.linkedin.com/company/field-bakery/'];
  for (const id of ids) {
    const shown = await environment.client.expect(200, 'GET', `/connections/${id}`);
    expect(shown).toMatchObject({ platform: 'linkedin', status: 'active', missing_permissions: [] });
    const { id: urn, url } = asObject(shown['account']);
    if (urn === `urn:li:person:${linkedIn.member.id}`) member = id;
    if (urn === 'urn:li:organization:2414183') page = id;
    expect(urls.splice(urls.indexOf(asText(url)), 1)).toEqual([url]);
    const days = (Date.parse(asText(shown['expires_at'])) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(364);
  }
});

test('validation counts the visible text, before escaping, and a mention as its name', async () => {
  const body = { text: '(*) @[Field Bakery](urn:li:organization:2414183)', ...to(page) };
  const [target] = asObjects(
    (await environment.client.expect(200, 'POST', '/social/posts/validate', { body }))['targets'],
  );
  expect(target).toMatchObject({ problems: [], text: { used: '(*) Field Bakery'.length, max: 3_000 } });
  const wrong = { text: 'x'.repeat(3_001), ...to(page) };
  expect(await environment.client.expect(422, 'POST', '/social/posts', { body: wrong })).toMatchObject({
    errors: [{ code: 'text.too_long' }],
  });
});

test('a page’s post with connections-only visibility is rejected, and a member’s is accepted', async () => {
  const some = { visibility: 'CONNECTIONS' };
  const body = { text: 'For some', ...to(page, some) };
  expect(await environment.client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
    errors: [{ path: 'targets.0.options.visibility', code: 'option.invalid' }],
  });
  const own = { text: 'For some', ...to(member, some) };
  const [target] = asObjects(
    (await environment.client.expect(200, 'POST', '/social/posts/validate', { body: own }))['targets'],
  );
  expect(target).toMatchObject({ problems: [] });
});

test('images, a video and a document are published for the page, with a first comment below', async () => {
  linkedIn.uploads.setProcessingPolls(1);
  linkedIn.uploads.setPieceBytes(2_048);
  const images = [files.put('1.png', noisyPng(64, 48)), files.put('2.png', noisyPng(64, 48))];
  const [waves, pdf] = [files.put('video.mp4', slowVideo), files.put('report.pdf', pdfDocument)];
  const published = await environment.publishPost({
    text: 'Fresh (very) #bread',
    media: images.map(({ url }, at) => ({ url, alt_text: `Loaf ${at}` })),
    first_comment: { text: 'More at https://example.com/more' },
    ...to(page, { no_reposts: true }),
  });
  expect(published).toMatchObject({ status: 'published' });
  const [post = '', comment = ''] = listPartIds(published);
  expect(linkedIn.books.find(post)).toMatchObject({
    author: 'urn:li:organization:2414183',
    shown: 'Fresh (very) #bread',
    isReshareDisabled: true,
    files: images.map(({ sha256 }, at) => ({ type: 'image/png', sha256, altText: `Loaf ${at}` })),
  });
  expect(linkedIn.books.findComment(comment)).toMatchObject({
    postUrn: post,
    actor: 'urn:li:organization:2414183',
  });
  expect(asObjects(published['deliveries'])[0]).toMatchObject({
    url: `https://www.linkedin.com/feed/update/${post}/`,
  });
  for (const [file, more] of [
    [pdf, { alt_text: 'A report' }],
    [waves, {}],
  ] as const) {
    const sent = await environment.publishPost({
      text: 'Look',
      media: [{ url: file.url, ...more }],
      ...to(page),
    });
    expect(sent).toMatchObject({ status: 'published' });
    const [urn = ''] = listPartIds(sent);
    expect(linkedIn.books.find(urn)?.files).toMatchObject([{ sha256: file.sha256 }]);
  }
  linkedIn.uploads.setProcessingPolls(0);
});

test('a page’s post whose response is lost is found despite escaping, and exists once', async () => {
  const before = linkedIn.books.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/rest/posts');
  const published = await environment.publishPost({
    text: 'Lost & <found> (#again)',
    link: 'https://example.com/a',
    ...to(page),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(linkedIn.books.createdCount()).toBe(before + 1);
  const [urn = ''] = listPartIds(published);
  expect(linkedIn.books.find(urn)).toMatchObject({
    shown: 'Lost & <found> (#again)',
    card: { source: 'https://example.com/a' },
  });
});

test('a member’s post whose response is lost needs a review, is resolved as published, and is not resent', async () => {
  const before = linkedIn.books.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/rest/posts');
  const lost = await environment.publishPost({ text: 'Mine, perhaps', ...to(member) });
  const [delivery] = asObjects(lost['deliveries']);
  expect(delivery).toMatchObject({ status: 'needs_review', error: { code: 'platform.outcome_unknown' } });
  expect(linkedIn.books.createdCount()).toBe(before + 1);
});

test('metrics are exactly those that LinkedIn returns for a page', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: page, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({
    impressions: 480,
    reach: 360,
    likes: 24,
    comments: 1,
    shares: 8,
    clicks: 28,
    saves: null,
    views: null,
  });
});

test('a post is deleted, and no app secret or token appears in the log', async () => {
  const published = await environment.publishPost({ text: 'For a moment', ...to(page) });
  const [urn = ''] = listPartIds(published);
  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(linkedIn.books.removed()).toEqual([urn]);
  for (const id of [member, page]) {
    await environment.client.expect(204, 'DELETE', `/connections/${id}`);
    await environment.client.expect(404, 'GET', `/connections/${id}`);
  }
  for (const secret of ['secret-of-our-app-at-linkedin', ...tokensSeen()]) {
    expect(environment.switchboard.logs()).not.toContain(secret);
  }
});

/** Every token that LinkedIn ever received. */
const tokensSeen = (): readonly string[] => [
  ...new Set(
    linkedIn
      .exchanges()
      .flatMap(({ request }) => /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? []),
  ),
];
