import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { findPost } from './find-post.js';
import { publishing } from './publishing.js';

/** Bodies as X documents them, including fields that the adapter does not read. */
const x = fixtureReplay(import.meta.dirname);

test('a post is recognized by its text, despite X’s own links, its escapes and the link to its image', async () => {
  await x.start('own-timeline');
  const stated = { link: 'https://kiln.example/spring?utm_source=x' };
  const found = await findPost(x.session(), buildItem('Salt & pepper, 2 < 3:', stated));
  expect(found).toMatchObject({ ok: true, value: { id: '1991734013443322110' } });
  const shows = (media_0: string) =>
    buildItem('Salt & pepper, 2 < 3:', { ...stated, mediaCount: 1, receipt: { media_0 } });
  expect(await findPost(x.session(), shows('1991733990011223344'))).toMatchObject({
    value: { id: '1991734018223344551' },
  });
  expect(await findPost(x.session(), shows('1991733990011223345'))).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
  const [asked] = x.asked();
  expect(asked?.query.get('start_time')).toBe('2026-11-21T11:59:55Z');
});

test.each([
  ['other words', buildItem('Salt & pepper, 2 < 4:', { mediaCount: 1, receipt: { media_0: '1' } })],
  ['another link', buildItem('Salt & pepper, 2 < 3:', { link: 'https://kiln.example/autumn' })],
  ['a reply to another user', buildItem('@somebody Salt & pepper, 2 < 3')],
])('a post is not mistaken for one with %s', async (_, item) => {
  await x.start('own-timeline');
  expect(await findPost(x.session(), item)).toEqual({ ok: true, value: null });
});

test('metrics are read by either of their names, clicks while X returns them, and none of a post that is gone', async () => {
  await x.start('numbers');
  const ids = ['1991734018223344551', '1975552018223344551', '1900000000000000001'];
  const read = await analytics.ofPosts(x.session(), ids);
  if (!read.ok) throw new Error(read.failure.message);
  expect([...read.value]).toEqual([
    [
      '1991734018223344551',
      {
        ...noMetrics,
        impressions: 904,
        views: 312,
        likes: 21,
        comments: 1,
        shares: 5,
        saves: 0,
        clicks: 17,
      },
    ],
    ['1975552018223344551', { ...noMetrics, impressions: 411, likes: 8, comments: 0, shares: 5, saves: 1 }],
  ]);
});

test('refusals are distinguished: a duplicate text, an invalid request, a permission', async () => {
  await x.start('refused-post');
  const session = x.session();
  const publish = () => publishing.publish(session, buildItem('Hello'), discardReceipt);
  expect(await publish()).toMatchObject({ failure: { code: 'platform.duplicate_content' } });
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { message: 'Your media IDs are invalid.' } },
  });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
});

test('finding 25: errors with a code and without a title are definite refusals', async () => {
  await x.start('errors-without-title');
  const session = x.session();
  const publish = () => publishing.publish(session, buildItem('Hello'), discardReceipt);
  const wrongLevel = {
    failure: {
      code: 'platform.refused',
      message: expect.stringContaining('access level'),
      platform: { code: '453' },
    },
  };
  expect(await publish()).toMatchObject(wrongLevel);
  expect(await publish()).toMatchObject({ failure: { code: 'platform.duplicate_content' } });
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: '25', message: 'Query parameters are missing.' } },
  });
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { message: 'Not permitted.' } },
  });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(await connecting.identify(session)).toMatchObject(wrongLevel);
});

test('finding 33: a post with a field that may not be read has no metrics, and does not affect others', async () => {
  await x.start('hidden-fields');
  const ids = ['1991734018223344551', '1991734018223344552', '1991734018223344553', '1900000000000000001'];
  const read = await analytics.ofPosts(x.session(), ids);
  if (!read.ok) throw new Error(read.failure.message);
  expect(Object.fromEntries(read.value)).toEqual({
    '1991734018223344551': { ...noMetrics, likes: 21, clicks: 17 },
    '1991734018223344552': noMetrics,
    '1991734018223344553': noMetrics,
  });
});

test('an app without credits is distinguished from a refusal, in each of X’s formats', async () => {
  await x.start('no-credits');
  const session = x.session();
  for (const stated of ['CreditsDepleted', 'Payment Required', 'SpendCapReached']) {
    expect(await publishing.publish(session, buildItem('Hello'), discardReceipt)).toMatchObject({
      failure: { code: 'platform.unavailable', retryAfterSeconds: 3_600, platform: { code: stated } },
    });
  }
});
