import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { CONTAINER } from '../graph/graph-containers.js';
import { buildItem, trackReceipt, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld, type InstagramWorld } from './testing/world.js';

let world: InstagramWorld;
let session: Session;
const { apiVersion } = manifest;
beforeAll(async () => {
  world = await startWorld();
  session = testSession({ ...world, apiVersion });
});
beforeEach(() => {
  world.repair();
  world.network.limitTo(10_000);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const jpeg = () => imageOf({ type: 'image/jpeg' });
const checked = (text: string, more: Partial<PublishItem> = {}) =>
  (publishing.check?.(buildItem(text, more)) ?? []).map(({ path, code }) => [path, code]);

async function publish(item: PublishItem, saveReceipt = discardReceipt) {
  const result = await publishing.publish(session, item, saveReceipt);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, storedPost: world.network.media.find(result.value.externalId) };
}

test('a single video is a reel, shown among the posts unless disabled', async () => {
  const shown = await publish(buildItem('Reel', { media: [videoOf()] }));
  expect(shown.storedPost).toMatchObject({ product: 'REELS', sharedToFeed: true });
  expect(shown.url).toMatch(/^https:\/\/www\.instagram\.com\/reel\//);
  const options = { share_to_feed: false };
  const apart = await publish(buildItem('Reel', { options, media: [videoOf()] }));
  expect(apart.storedPost).toMatchObject({ product: 'REELS', sharedToFeed: false });
});

test('a link is appended to the caption, unless the caption contains it and not only a longer one', async () => {
  const link = 'https://example.com/a';
  const captionOf = async (text: string) =>
    (await publish(buildItem(text, { link, media: [jpeg()] }))).storedPost?.caption;
  expect(await captionOf('Read this')).toBe(`Read this\n${link}`);
  expect(await captionOf(`Read ${link}bout`)).toBe(`Read ${link}bout\n${link}`);
  expect(await captionOf(`Read ${link}.`)).toBe(`Read ${link}.`);
});

test('an image that is taller than 3:4 can only be a story', () => {
  const sized = (width: number, height: number, options = {}) =>
    checked('', { options, mediaCount: 1, media: [{ ...jpeg(), width, height }] });
  expect(sized(1_080, 1_440)).toEqual([]);
  expect(sized(1_080, 1_450)).toEqual([['media', 'media.aspect_ratio_unsupported']]);
  expect(sized(1_080, 1_920, { post_type: 'story' })).toEqual([]);
});

describe('a story', () => {
  const options = { post_type: 'story' };

  test.each([
    ['image', () => imageOf({ type: 'image/jpeg', altText: 'A cat' })],
    ['video', () => videoOf({ altText: 'Waves' })],
  ])('is one %s without text, and is found among the stories', async (_name, media) => {
    // Late enough that the preceding story is older, including the tolerated clock skew.
    const createdAt = new Date(world.network.now().getTime() + 4_500);
    const item = buildItem('', { options, media: [media()], createdAt });
    let receipt: PublishItem['receipt'] = {};
    const { storedPost, externalId } = await publish(item, async (stored) => void (receipt = stored));
    expect(storedPost).toMatchObject({ product: 'STORY', caption: '', files: [{ altText: null }] });
    expect(await find(session, { ...item, media: [], receipt })).toMatchObject({ value: { externalId } });
  });

  test('has no text, no second image and no comment', () => {
    expect(checked('', { options, mediaCount: 1 })).toEqual([]);
    expect(checked('Hello', { options, mediaCount: 1 })).toEqual([['options.post_type', 'option.invalid']]);
    expect(checked('', { options, mediaCount: 2 })).toEqual([['options.post_type', 'option.invalid']]);
    expect(checked('Hello', { options, kind: 'comment' })).toEqual([['text', 'option.invalid']]);
    const lasting = (durationSeconds: number) =>
      checked('', { options, mediaCount: 1, media: [{ ...videoOf(), durationSeconds }] });
    expect(lasting(60)).toEqual([]);
    expect(lasting(61)).toEqual([['options.post_type', 'option.invalid']]);
  });
});

describe.each([
  ['a story', '', { post_type: 'story' }],
  ['a post without a caption', '', {}],
  ['a post with a caption', 'Beside', {}],
])('%s that is like the one posted next to it', (_name, text, options) => {
  const item = (words = text) =>
    buildItem(words, { options, media: [jpeg()], createdAt: world.network.now() });
  const published = async (due = item()) => {
    const { saveReceipt, readBack } = trackReceipt(due);
    return { ...(await publish(due, saveReceipt)), readBack };
  };
  const forPerson = { failure: { code: 'platform.outcome_unknown' } };

  test('and never arrived is not mistaken for it', async () => {
    const lost = item();
    const { saveReceipt, again, readBack } = trackReceipt(lost);
    // Two requests: create and poll, and then publish.
    world.break('reset-before-effect', 2);
    expect(await publishing.publish(session, lost, saveReceipt)).toMatchObject(forPerson);
    const out = await published();
    const found = await find(session, readBack());
    // Posts are similar only by their text.
    if (text !== '') return expect(found).toMatchObject(forPerson);
    expect(found).toEqual({ ok: true, value: null });
    expect((await publish(again())).externalId).not.toBe(out.externalId);
  });

  test('and has no container is not published, even when a similar post is listed', async () => {
    const due = item();
    await published();
    expect(await find(session, { ...due, media: [] })).toEqual({ ok: true, value: null });
  });

  test('and whose container has expired may have been published', async () => {
    const { externalId, readBack } = await published(item(text && 'Gone'));
    world.network.containers.forget(readBack().receipt[CONTAINER] ?? '');
    // Only the text distinguishes it from another.
    const known = text === '' ? forPerson : { value: { externalId } };
    expect(await find(session, readBack())).toMatchObject(known);
    // As in a list that lags behind.
    world.network.media.hide(externalId);
    expect(await find(session, readBack())).toMatchObject(forPerson);
  });
});

describe('before anything is sent', () => {
  test('a 31st hashtag and a 21st mention are refused', () => {
    const many = (sign: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${sign}word${at}`).join(' ');
    expect(checked(many('#', 30))).toEqual([]);
    expect(checked(many('#', 31))).toEqual([['text', 'text.too_many_hashtags']]);
    expect(checked(many('@', 20))).toEqual([]);
    expect(checked(many('@', 21))).toEqual([['text', 'text.too_many_mentions']]);
  });
});

test('without an image it is refused with the message of Instagram', async () => {
  expect(await publishing.publish(session, buildItem('Only words'), discardReceipt)).toMatchObject({
    failure: { code: 'platform.refused', platform: { name: 'Instagram' } },
  });
});

test('an image that Instagram cannot fetch is refused with its message', async () => {
  const lost = { ...jpeg(), publicUrl: () => 'https://media.example/nothing-there.jpg' };
  expect(
    await publishing.publish(session, buildItem('Gone', { media: [lost] }), discardReceipt),
  ).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: '9004/2207052' } },
  });
});

test('an exhausted daily quota is a rate limit and not a refusal', async () => {
  world.network.limitTo(0);
  const item = buildItem('One too many', { media: [jpeg()] });
  expect(await publishing.publish(session, item, discardReceipt)).toMatchObject({
    failure: { code: 'platform.rate_limited' },
  });
});

test('a comment is distinguished from another author’s with the same text', async () => {
  const root = await publish(buildItem('Post', { media: [jpeg()] }));
  const item = buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root } });
  world.network.media.write({ mediaId: root.externalId, accountId: 'other', text: 'Sources' });
  expect(await find(session, item)).toEqual({ ok: true, value: null });
  const { externalId } = await publish(item);
  expect(await find(session, item)).toMatchObject({ value: { externalId } });
});

test('a comment is recognized by its text, regardless of Unicode normalization and white space', async () => {
  const root = await publish(buildItem('Post', { media: [jpeg()] }));
  const item = buildItem('Two\n\ncafés  each', { kind: 'comment', replyTo: { root, parent: root } });
  const text = 'Two\ncafés each'.normalize('NFD');
  const about = { mediaId: root.externalId, accountId: session.account.id };
  const { id } = world.network.media.write({ ...about, text });
  expect(await find(session, item)).toMatchObject({ value: { externalId: id } });
  expect(await find(session, { ...item, text: 'Two cafes each' })).toEqual({ ok: true, value: null });
});
