import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { buildItem, discardReceipt, trackReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf, type TestMedia } from '@switchboard/platform-kit/testing/test-media';
import { manifest } from './manifest.js';
import { uploadMedia } from './media.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld({ refusesDuplicates: true });
  session = testSession(world);
});
beforeEach(() => {
  world.repair();
  world.network.media.setProcessingPolls(0);
  world.network.media.setProcessingFails(false);
});
afterAll(() => world.close());

const IMPATIENT_MS = [1, 1, 1];

/** A part over its attempts, each with the receipt of the one before. */
function attemptsAt(...media: TestMedia[]) {
  let receipt: PublishItem['receipt'] = {};
  const item = buildItem('Look', { media });
  return () =>
    uploadMedia(
      session,
      item,
      openReceipt({ receipt }, async (stored) => void (receipt = stored)),
      IMPATIENT_MS,
    );
}

test('a video of several chunks arrives completely', async () => {
  const video = videoOf({ bytes: 9 * 1024 * 1024 });
  const posted = await publishing.publish(session, buildItem('Long', { media: [video] }), discardReceipt);
  if (!posted.ok) throw new Error(posted.failure.message);
  expect(world.network.posts.find(posted.value.externalId)?.media).toMatchObject([{ sha256: video.sha256 }]);
});

test('a video that is processed longer than one attempt may wait is resumed by a later one, without another upload', async () => {
  world.network.media.setProcessingPolls(6);
  const upload = attemptsAt(imageOf(), videoOf());
  const before = world.network.media.uploads();
  expect(await upload()).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } });
  expect(await upload()).toMatchObject({ ok: true });
  expect(world.network.media.uploads()).toBe(before + 2);
});

test('finding 74: an image whose alternative text was lost is not uploaded again', async () => {
  const image = imageOf({ altText: 'A teal field' });
  const item = buildItem('Described', { media: [image] });
  const { saveReceipt, again } = trackReceipt(item);
  // It is initialized, appended and finalized, and then described.
  world.break('500-before', 3);
  expect(await publishing.publish(session, item, saveReceipt)).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
  const posted = await publishing.publish(session, again(), saveReceipt);
  expect(posted.ok && world.network.posts.find(posted.value.externalId)?.media).toMatchObject([
    { sha256: image.sha256, altText: 'A teal field' },
  ]);
  expect(image.reads()).toBe(1);
});

test('a video that cannot be processed is refused, and uploaded anew by a retry', async () => {
  world.network.media.setProcessingFails(true);
  const upload = attemptsAt(videoOf());
  expect(await upload()).toMatchObject({ failure: { code: 'platform.refused' } });
  world.network.media.setProcessingFails(false);
  expect(await upload()).toMatchObject({ ok: true });
});

test('a video of the maximum file size is started, and may last twenty minutes', () => {
  const { maxBytes, maxSeconds } = manifest.media?.videos ?? {};
  expect([maxBytes, maxSeconds]).toEqual([1024 ** 3, 1_200]);
  const begin = { media_type: 'video/mp4', media_category: 'tweet_video', total_bytes: maxBytes };
  const request = {
    method: 'POST',
    path: '/2/media/upload/initialize',
    query: new URLSearchParams(),
    headers: {},
  };
  const owner = { account: world.account.id, scopes: ['media.write'] };
  expect(world.network.respondAs({ ...request, body: begin }, owner)).toMatchObject({
    status: 200,
  });
});

test('an animated GIF is uploaded alone and polled, a still one is uploaded like other images', async () => {
  const shownOf = async (...media: TestMedia[]) => {
    const posted = await publishing.publish(session, buildItem('Moves', { media }), discardReceipt);
    return posted.ok ? world.network.posts.find(posted.value.externalId)?.media : posted.failure;
  };
  const moving = imageOf({ type: 'image/gif', animated: true, altText: 'A wave' });
  const still = imageOf({ type: 'image/gif' });
  world.network.media.setProcessingPolls(2);
  expect(await shownOf(moving)).toMatchObject([
    { category: 'tweet_gif', sha256: moving.sha256, altText: 'A wave' },
  ]);
  world.network.media.setProcessingPolls(0);
  expect(await shownOf(still, imageOf())).toMatchObject([
    { category: 'tweet_image' },
    { category: 'tweet_image' },
  ]);
  expect(await shownOf(moving, imageOf())).toMatchObject({ code: 'platform.refused' });
});

test('a duplicate text is reported as such, and nothing is posted', async () => {
  await publishing.publish(session, buildItem('Once'), discardReceipt);
  const created = world.network.posts.createdCount();
  expect(await publishing.publish(session, buildItem('Once'), discardReceipt)).toMatchObject({
    failure: { code: 'platform.duplicate_content' },
  });
  expect(world.network.posts.createdCount()).toBe(created);
});
