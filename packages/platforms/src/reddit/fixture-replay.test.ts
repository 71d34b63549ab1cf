import { describe, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import type { PlatformResponse, PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { findComment, findPost } from './find-post.js';
import { publishing } from './publishing.js';
import { submit } from './submit.js';
import { errorMapping } from './wire.js';

/** Bodies as Reddit returned them to others (NOTES.md), including fields that the adapter does not read. */
const storage = 'https://reddit-uploaded-media.s3-accelerate.amazonaws.com';
const reddit = fixtureReplay(import.meta.dirname, '14g6bq9', [storage]);
const session = (): Session => {
  const open = reddit.session();
  return { ...open, account: { ...open.account, username: 'alice_throws' } };
};
const due = { createdAt: new Date('2026-11-21T12:00:00.000Z') };
const potOf = (text: string, more: Partial<PublishItem> = {}) =>
  buildItem(text, { ...due, title: 'A pot of mine', options: { subreddit: 'r/pottery' }, ...more });
const atHome = { options: { subreddit: 'u/alice_throws' } };
const uploaded = (...ids: string[]) => ({
  mediaCount: ids.length,
  receipt: Object.fromEntries(
    ids.flatMap((id, at) => [
      [`asset_${at}`, id],
      [`url_${at}`, `x/${id}`],
    ]),
  ),
});

test('an account is read, with its display name and its followers', async () => {
  await reddit.start('profile');
  expect(await connecting.identify(session())).toEqual({
    ok: true,
    value: [
      {
        id: '14g6bq9',
        username: 'alice_throws',
        name: 'Alice',
        avatarUrl: 'https://styles.redditmedia.com/t5_a/styles/profileIcon.jpg?width=256&s=7f1',
        url: 'https://www.reddit.com/user/alice_throws',
      },
    ],
  });
  expect(await analytics.ofAccount?.(session())).toEqual({
    ok: true,
    value: { ...noMetrics, followers: 31 },
  });
});

describe('a post is found', () => {
  test.each([
    [
      'a text, of two with different times',
      't3_1q2txt',
      potOf('First line\n\n* second', { title: 'Glazes' }),
    ],
    [
      'a link, by its URL',
      't3_1q2lnk',
      potOf('Salt & <soda>', { title: 'Kilns', link: 'https://EXAMPLE.com/kiln?a=b&c=d' }),
    ],
    ['an image, though it was crossposted', 't3_1q2img', potOf('', uploaded('76vqfcf7y8b21'))],
    [
      'a video, next to its poster image',
      't3_1q2vid',
      potOf('', { ...uploaded('5ph4906syw261', '76vqfcf7y8b21'), mediaCount: 1 }),
    ],
    ['a gallery', 't3_1q2gal', potOf('', uploaded('pb7qsvi6i3c51', '14wmudl6i3c51'))],
  ])('%s', async (_, id, item) => {
    await reddit.start('submitted');
    expect(await findPost(session(), item)).toMatchObject({ ok: true, value: { externalId: id } });
    const [asked] = reddit.asked();
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ sort: 'new', raw_json: '1' });
  });

  test.each([
    [
      'another subreddit',
      potOf('First line\n\n* second', { title: 'Glazes', options: { subreddit: 'kilns' } }),
    ],
    ['another title', potOf('First line\n\n* second', { title: 'Glaze' })],
    [
      'a link with the same text',
      potOf('First line\n\n* second', { title: 'Glazes', link: 'https://a.example/' }),
    ],
    [
      'a gallery in another order',
      potOf('', { ...uploaded('14wmudl6i3c51', 'pb7qsvi6i3c51'), title: 'Pots' }),
    ],
    ['a gallery that was uploaded partly', potOf('', { ...uploaded('pb7qsvi6i3c51'), mediaCount: 2 })],
  ])('and not mistaken for one with %s', async (_, item) => {
    await reddit.start('submitted');
    expect(await findPost(session(), item)).toEqual({ ok: true, value: null });
  });

  test.each([
    ['link', potOf('Salt & <soda>', { title: 'Kilns', link: 'https://example.com/kiln' })],
    ['image', potOf('', uploaded('zzzzzzzzzzzz1'))],
  ])('and requires a manual check if all but its %s is the same', async (_, item) => {
    await reddit.start('submitted');
    expect(await findPost(session(), item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });

  test('and a comment by its parent, also if Reddit does not report its URL', async () => {
    await reddit.start('comments');
    const below = (id: string) => {
      const root = { externalId: id, url: null, receipt: {} };
      return buildItem('Ask me  anything', { ...due, kind: 'comment', replyTo: { root, parent: root } });
    };
    expect(await findComment(session(), below('t3_1q2img'))).toEqual({
      ok: true,
      value: {
        externalId: 't1_d1680wu',
        url: 'https://www.reddit.com/comments/1q2img/_/d1680wu',
        receipt: {},
      },
    });
    expect(await findComment(session(), below('t3_1q2vid'))).toEqual({ ok: true, value: null });
  });
});

test('an image is uploaded to its leased URL, with all fields, and is published once it is listed', async () => {
  await reddit.start('image');
  const stored: PublishItem['receipt'][] = [];
  const item = potOf('', { ...atHome, media: [imageOf()], mediaCount: 1 });
  const published = await submit(session(), item, async (receipt) => void stored.push(receipt), [0, 1]);
  expect(published).toMatchObject({
    ok: true,
    value: {
      externalId: 't3_1q2img',
      url: 'https://www.reddit.com/r/Pottery/comments/1q2img/a_pot_of_mine/',
    },
  });
  expect(reddit.left()).toEqual([]);
  const [, sent] = reddit.asked();
  const names = Object.keys(sent?.body ?? {});
  expect(names.slice(0, 2).concat(names.slice(-2))).toEqual(['acl', 'key', 'x-amz-security-token', 'file']);
  expect(sent?.headers).not.toHaveProperty('authorization');
  expect(reddit.forms('/api/submit')).toMatchObject([
    { kind: 'image', sr: 'u_alice_throws', url: `${storage}/rte_images/76vqfcf7y8b21`, api_type: 'json' },
  ]);
  expect(stored.map((receipt) => receipt['taken'])).toEqual([undefined, undefined, 'yes']);
});

test('a post has its fullname, in whichever format Reddit returns it, and the URL that Reddit reports', async () => {
  await reddit.start('posted');
  const post = (more: Partial<PublishItem>) =>
    publishing.publish(session(), potOf('Hi', { ...atHome, ...more }), discardReceipt);
  const receipt = uploaded('pb7qsvi6i3c51', '14wmudl6i3c51').receipt;
  const root = { externalId: 't1_d1616q2', url: null, receipt: {} };
  expect(await post({})).toMatchObject({ value: { externalId: 't3_om0nwf' } });
  expect(await post({ media: [imageOf(), imageOf()], receipt })).toMatchObject({
    value: {
      externalId: 't3_oexfaq',
      url: 'https://www.reddit.com/user/alice_throws/comments/oexfaq/my_gallery/',
    },
  });
  expect(await post({ kind: 'comment', replyTo: { root, parent: root } })).toMatchObject({
    value: { externalId: 't1_d1680wu', url: 'https://www.reddit.com/comments/4b1tfm/_/d1680wu' },
  });
});

test('refusals within a success are distinguished', async () => {
  await reddit.start('refused');
  const open = session();
  const publish = () => publishing.publish(open, potOf('Hi', atHome), discardReceipt);
  const later = (retryAfterSeconds: number) => ({ code: 'platform.rate_limited', retryAfterSeconds });
  expect(await publish()).toMatchObject({ failure: later(514) });
  expect(await publish()).toMatchObject({ failure: later(241) });
  expect(await publish()).toMatchObject({ failure: later(3_601) });
  expect(await publish()).toMatchObject({ failure: { code: 'platform.duplicate_content' } });
  expect(await publish()).toMatchObject({
    failure: {
      code: 'platform.refused',
      platform: { code: 'SUBMIT_VALIDATION_FLAIR_REQUIRED', message: 'Your post must contain post flair.' },
    },
  });
  expect(await publish()).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  expect(await publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: 'SUBREDDIT_NO_ACCESS' } },
  });
});

test.each([
  [{ json: { errors: [['THREAD_LOCKED']] } }, { code: 'THREAD_LOCKED', message: 'THREAD_LOCKED' }],
  [{ json: { errors: [['A', false, 'sr', 7]], ratelimit: '514' } }, { code: 'A', message: 'A' }],
  [
    { message: 'Forbidden', reason: 403, explanation: ['no'] },
    { code: undefined, message: 'Forbidden' },
  ],
])('a refusal is a refusal, regardless of the fields that accompany its code: %j', (json, words) => {
  expect(errorMapping.parseError({ json } as PlatformResponse)).toEqual(words);
});

test('more downvotes than upvotes do not determine likes, and a post that is gone has no metrics', async () => {
  await reddit.start('numbers');
  const result = await analytics.ofPosts(session(), ['t3_1q2txt', 't3_1q2low', 't3_1q2gone']);
  if (!result.ok) throw new Error(result.failure.message);
  expect([...result.value]).toEqual([
    ['t3_1q2txt', { ...noMetrics, likes: 904, comments: 41, shares: 3 }],
    ['t3_1q2low', { ...noMetrics, comments: 0, shares: 0 }],
  ]);
});
