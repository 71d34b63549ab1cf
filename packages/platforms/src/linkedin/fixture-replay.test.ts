import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import type { PlatformResponse } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';
import { errorMapping } from './wire.js';

const PAGE = 'urn:li:organization:5583111';
/**
 * Bodies as LinkedIn documents them, or as others observed them, including fields that the adapter does not
 * read.
 */
const written = fixtureReplay(import.meta.dirname, PAGE);
const asMember = () => {
  const open = written.session();
  const grantedPermissions = ['r_member_postAnalytics', 'r_member_profileAnalytics'];
  return { ...open, grantedPermissions, account: { ...open.account, id: 'urn:li:person:yrZCpj2Z12' } };
};
const sent = () => written.asked().map(({ method, path, body }) => ({ method, path, body }));

test('the member of an open login is read by OpenID Connect, and no pages are requested', async () => {
  await written.start('open-login');
  const open = { ...written.session(), grantedPermissions: ['openid', 'profile', 'w_member_social'] };
  expect(await connecting.identify(open)).toEqual({
    ok: true,
    value: [
      {
        id: 'urn:li:person:782bbtaQ',
        username: null,
        name: 'John Doe',
        url: null,
        avatarUrl:
          'https://media.licdn-ei.com/dms/image/C5F03AQHqK8v7tB1HCQ/profile-displayphoto-shrink_100_100/0/',
      },
    ],
  });
});

test('the member is read, with each page that may be posted for once, and one whose name is not returned', async () => {
  await written.start('pages');
  expect(await connecting.identify(written.session())).toEqual({
    ok: true,
    value: [
      {
        id: 'urn:li:person:yrZCpj2Z12',
        username: 'bsmith',
        name: 'Bob Smith',
        avatarUrl: null,
        url: 'https://www.linkedin.com/in/bsmith/',
      },
      {
        id: 'urn:li:organization:2414183',
        username: 'devtestco',
        name: 'Devtestco',
        avatarUrl: null,
        url: 'https://www.linkedin.com/company/devtestco/',
      },
      { id: 'urn:li:organization:5025780', username: null, name: null, avatarUrl: null, url: null },
    ],
  });
  expect(written.left()).toEqual([]);
});

test('a post with an image is written as LinkedIn documents it, and its ID is that of the response header', async () => {
  await written.start('image-post');
  const media = [imageOf({ altText: 'A loaf' })];
  const receipt = { media_0: 'urn:li:image:C4E10AQFoyyAjHPMQuQ' };
  const item = buildItem('Fresh (very) #bread', { media, receipt });
  expect(await publishing.publish(written.session(), item, discardReceipt)).toEqual({
    ok: true,
    value: {
      externalId: 'urn:li:share:6844785523593134080',
      url: 'https://www.linkedin.com/feed/update/urn:li:share:6844785523593134080/',
      receipt: {},
    },
  });
  expect(Object.fromEntries(written.asked().at(-1)?.query ?? [])).toEqual({ viewContext: 'AUTHOR' });
  expect(written.left()).toEqual([]);
  expect(sent().at(-2)?.body).toEqual({
    author: PAGE,
    commentary: 'Fresh \\(very\\) {hashtag|\\#|bread}',
    visibility: 'PUBLIC',
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    content: { media: { id: 'urn:li:image:C4E10AQFoyyAjHPMQuQ', altText: 'A loaf' } },
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: false,
  });
});

test.each([
  ['duplicate', 'platform.duplicate_content'],
  ['without-page-permission', 'platform.permission_missing'],
  // The server timed out, and the rest of the response does not determine the outcome.
  ['duplicate-in-doubt', 'platform.outcome_unknown'],
])('the refusal “%s” is %s', async (fixture, code) => {
  await written.start(fixture);
  const refused = await publishing.publish(written.session(), buildItem('Again'), discardReceipt);
  expect(refused).toMatchObject({ failure: { code } });
});

test('a refusal is a refusal, regardless of the format of its details', () => {
  const json = { status: 422, message: 'No.', code: 422, serviceErrorCode: '100', errorDetails: ['other'] };
  expect(errorMapping.parseError({ json } as PlatformResponse)).toEqual({ message: 'No.' });
});

test('posts are read back with the tags and mentions that LinkedIn created from them', async () => {
  await written.start('own-posts');
  const createdAt = new Date(1_795_262_400_000);
  const find = (text: string, more = {}) =>
    publishing.find?.(written.session(), buildItem(text, { createdAt, ...more }));
  expect(await find('Fresh (very) #bread by @[Devtestco](urn:li:organization:2414183)')).toMatchObject({
    value: { externalId: 'urn:li:share:6844785523593134081' },
  });
  const receipt = { media_0: 'urn:li:video:C5F10AQGKQg_6y2a4sQ' };
  expect(await find('Other words', { mediaCount: 1, receipt })).toMatchObject({
    value: { externalId: 'urn:li:ugcPost:6844785523593134080' },
  });
  expect(await find('Sample video Post')).toEqual({ ok: true, value: null });
  expect(written.asked()[0]?.headers).toMatchObject({
    'x-restli-method': 'FINDER',
    'x-restli-protocol-version': '2.0.0',
  });
  expect(Object.fromEntries(written.asked()[0]?.query ?? [])).toMatchObject({ q: 'author', author: PAGE });
});

test('a partial page of comments is not the last if LinkedIn returns a next link', async () => {
  await written.start('short-page');
  const root = { externalId: 'urn:li:share:6631349431612559361', url: null, receipt: {} };
  const createdAt = new Date(1_582_160_678_000);
  const item = buildItem('More', { kind: 'comment', createdAt, replyTo: { root, parent: root } });
  expect(await publishing.find?.(written.session(), item)).toMatchObject({
    value: { externalId: 'urn:li:comment:(urn:li:activity:6631349431612559360,6636062862760562688)' },
  });
  expect(written.left()).toEqual([]);
});

test('a comment is plain text, and is removed by the URN of its activity', async () => {
  await written.start('comment');
  const root = { externalId: 'urn:li:share:6631349431612559361', url: null, receipt: {} };
  const item = buildItem('More (and #more)', { kind: 'comment', replyTo: { root, parent: root } });
  const open = written.session();
  const put = await publishing.publish(open, item, discardReceipt);
  const part = {
    externalId: 'urn:li:comment:(urn:li:activity:6631349431612559360,6636062862760562688)',
    url: null,
    receipt: {},
  };
  expect(put).toEqual({ ok: true, value: part });
  expect(sent()[0]?.body).toEqual({
    actor: PAGE,
    object: 'urn:li:share:6631349431612559361',
    message: { text: 'More (and #more)' },
  });
  expect(await publishing.remove?.(open, part)).toMatchObject({ ok: true });
  expect(written.asked().at(-1)?.query.get('actor')).toBe(PAGE);
  expect(written.left()).toEqual([]);
});

test('metrics of a page: a missing value is null, a post without views has none, a missing post is left out', async () => {
  await written.start('page-statistics');
  const urns = [
    'urn:li:share:1000000',
    'urn:li:ugcPost:1000001',
    'urn:li:share:1000002',
    'urn:li:share:1000003',
  ];
  const read = await analytics.ofPosts(written.session(), urns);
  expect(read.ok && Object.fromEntries(read.value)).toEqual({
    'urn:li:share:1000000': {
      ...noMetrics,
      impressions: 22_653,
      reach: 9_327,
      likes: 33,
      comments: 5,
      shares: 1,
      clicks: 132,
    },
    'urn:li:ugcPost:1000001': {
      ...noMetrics,
      impressions: 157,
      reach: null,
      likes: 41,
      comments: 0,
      shares: 0,
      clicks: 109_276,
    },
    'urn:li:share:1000002': noMetrics,
  });
  expect(Object.fromEntries(written.asked()[0]?.query ?? [])).toEqual({
    q: 'organizationalEntity',
    organizationalEntity: PAGE,
    shares: 'List(urn:li:share:1000000,urn:li:share:1000002,urn:li:share:1000003)',
    ugcPosts: 'List(urn:li:ugcPost:1000001)',
  });
  expect(await analytics.ofAccount?.(written.session())).toEqual({
    ok: true,
    value: { ...noMetrics, followers: 219_145 },
  });
});

test('metrics of a member: each requested separately, and an unsupported one is null', async () => {
  await written.start('member-statistics');
  const urn = 'urn:li:share:6743253546342';
  const member = asMember();
  const read = await analytics.ofPosts(member, [urn]);
  const reported = read.ok ? read.value.get(urn) : undefined;
  const numbers = Object.values(reported ?? {}).filter((one) => one !== null);
  expect(numbers.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 21, 29]);
  expect(await analytics.ofAccount?.(member)).toEqual({ ok: true, value: { ...noMetrics, followers: 132 } });
});

test('values in a URL are encoded for Rest.li', async () => {
  await written.start('member-statistics');
  const open = asMember();
  const paths: string[] = [];
  const watching = {
    ...open,
    request: (request: Parameters<typeof open.request>[0]) => {
      paths.push(request.path);
      return open.request(request);
    },
  };
  await analytics.ofPosts(watching, ['urn:li:ugcPost:1']);
  expect(paths[0]).toBe(
    '/rest/memberCreatorPostAnalytics?q=entity&entity=(ugc:urn%3Ali%3AugcPost%3A1)&queryType=IMPRESSION&aggregation=TOTAL',
  );
});
