import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf, type TestMedia } from '@switchboard/platform-kit/testing/test-media';
import { analytics } from './analytics.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

async function published(text: string, ...media: TestMedia[]): Promise<string> {
  const created = await publishing.publish(testSession(world), buildItem(text, { media }), discardReceipt);
  if (!created.ok) throw new Error(created.failure.message);
  return created.value.externalId;
}

const counted = { ...noMetrics, impressions: 120, likes: 3, comments: 2, shares: 5, saves: 5 };

test('a post that is too old for its clicks keeps its other metrics, next to one that is not', async () => {
  const old = await published('Of last month');
  world.advanceDays(31);
  const recent = await published('Of today');
  const read = await analytics.ofPosts(testSession(world), [old, '1111', recent]);
  expect(read.ok && Object.fromEntries(read.value)).toEqual({
    [old]: counted,
    [recent]: { ...counted, clicks: 7 },
  });
});

test('for images only their posts are read: returned media has a price', async () => {
  const [one, two] = [await published('One', imageOf()), await published('Two', imageOf(), imageOf())];
  const before = world.requests();
  await analytics.ofPosts(testSession(world), [one, two]);
  expect(world.requests() - before).toBe(1);
  expect(world.network.returnedMediaCount()).toBe(0);
});

test('a video has the views that X reports, an image has none', async () => {
  const [video, image] = [await published('Video', videoOf()), await published('Image', imageOf())];
  const read = await analytics.ofPosts(testSession(world), [video, image]);
  expect(read.ok && Object.fromEntries(read.value)).toMatchObject({
    [video]: { views: 64 },
    [image]: { views: null },
  });
});
