import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain';
import { itemOf, nothingKept } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { imageOf, videoOf } from '../kit/testing/test-media.js';
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
  world.mend();
  world.network.limitTo(10_000);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const jpeg = () => imageOf({ type: 'image/jpeg' });
const checked = (text: string, more: Partial<PublishItem> = {}) =>
  (publishing.check?.(itemOf(text, more)) ?? []).map(({ path, code }) => [path, code]);

async function publish(item: PublishItem) {
  const result = await publishing.publish(session, item, nothingKept);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, stands: world.network.media.find(result.value.externalId) };
}

test('a film alone is a reel, shown among the posts unless that is not wanted', async () => {
  const shown = await publish(itemOf('Reel', { media: [videoOf()] }));
  expect(shown.stands).toMatchObject({ product: 'REELS', sharedToFeed: true });
  expect(shown.url).toMatch(/^https:\/\/www\.instagram\.com\/reel\//);
  const options = { share_to_feed: false };
  const apart = await publish(itemOf('Reel', { options, media: [videoOf()] }));
  expect(apart.stands).toMatchObject({ product: 'REELS', sharedToFeed: false });
});

describe('a story', () => {
  const options = { post_type: 'story' };

  test.each([
    ['picture', () => imageOf({ type: 'image/jpeg', altText: 'A cat' })],
    ['film', () => videoOf({ altText: 'Waves' })],
  ])('is one %s without words, and is found among the stories', async (_name, media) => {
    // Just late enough that the story before is older, with what clocks may differ.
    const createdAt = new Date(world.network.now().getTime() + 4_500);
    const item = itemOf('', { options, media: [media()], createdAt });
    const { stands, externalId } = await publish(item);
    expect(stands).toMatchObject({ product: 'STORY', caption: '', files: [{ altText: null }] });
    expect(await find(session, { ...item, media: [] })).toMatchObject({ value: { externalId } });
  });

  test('has no text, no second picture and nothing below it', () => {
    expect(checked('', { options, mediaCount: 1 })).toEqual([]);
    expect(checked('Hello', { options, mediaCount: 1 })).toEqual([['options.post_type', 'option.invalid']]);
    expect(checked('', { options, mediaCount: 2 })).toEqual([['options.post_type', 'option.invalid']]);
    expect(checked('Hello', { options, kind: 'comment' })).toEqual([['text', 'option.invalid']]);
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

test('without a picture it is refused in the words of Instagram', async () => {
  expect(await publishing.publish(session, itemOf('Only words'), nothingKept)).toMatchObject({
    failure: { code: 'platform.refused', platform: { name: 'Instagram' } },
  });
});

test('a picture that Instagram cannot fetch is refused in its words', async () => {
  const lost = { ...jpeg(), publicUrl: () => 'https://media.example/nothing-there.jpg' };
  expect(await publishing.publish(session, itemOf('Gone', { media: [lost] }), nothingKept)).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: '9004/2207052' } },
  });
});

test('a day’s posts that are used up are a limit and no refusal', async () => {
  world.network.limitTo(0);
  const item = itemOf('One too many', { media: [jpeg()] });
  expect(await publishing.publish(session, item, nothingKept)).toMatchObject({
    failure: { code: 'platform.rate_limited' },
  });
});

test('a comment is told from one of somebody else’s with the same words', async () => {
  const root = await publish(itemOf('Post', { media: [jpeg()] }));
  const item = itemOf('Sources', { kind: 'comment', answers: { root, parent: root } });
  world.network.media.write({ mediaId: root.externalId, accountId: 'somebody', text: 'Sources' });
  expect(await find(session, item)).toEqual({ ok: true, value: null });
  const { externalId } = await publish(item);
  expect(await find(session, item)).toMatchObject({ value: { externalId } });
});
