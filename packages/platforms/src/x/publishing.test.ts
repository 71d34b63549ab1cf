import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain';
import { itemOf } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { imageOf } from '../kit/testing/test-media.js';
import { findPost } from './find-post.js';
import { publishing } from './publishing.js';
import { startWorld, type XWorld } from './testing/world.js';

let world: XWorld;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

/** One attempt at a part, and what it remembers. */
async function attempt(item: PublishItem) {
  let receipt: PublishItem['receipt'] = {};
  const result = await publishing.publish(session, item, async (kept) => void (receipt = kept));
  return { result, item: { ...item, receipt, media: [] } };
}

test.each(['New at example.com/news today', 'New at Example.com/', 'At http://example.com'])(
  '%j is found again, though X writes its links in another way',
  async (text) => {
    const { result, item } = await attempt(itemOf(text));
    const found = await findPost(session, item);
    expect(found.ok && found.value?.id).toBe(result.ok && result.value.externalId);
  },
);

test('pictures without words are known by the uploads that are remembered', async () => {
  const mine = await attempt(itemOf('', { media: [imageOf()] }));
  const other = await attempt(itemOf('', { media: [imageOf()] }));
  for (const { result, item } of [mine, other]) {
    const found = await findPost(session, item);
    expect(found.ok && found.value?.id).toBe(result.ok && result.value.externalId);
  }
});

test('pictures without words are for a person where others without words stand there', async () => {
  await attempt(itemOf('', { media: [imageOf()] }));
  const lost = itemOf('', { mediaCount: 1, receipt: { media_0: '1880028106020599999' } });
  expect(await findPost(session, lost)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test.each(['credits', 'cap'] as const)(
  'without %s a post waits for whoever runs this, and is no failure',
  async (what) => {
    world.network.spends(what);
    const { result } = await attempt(itemOf('Not paid for'));
    world.network.spends(null);
    expect(result).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 3_600 } });
  },
);
