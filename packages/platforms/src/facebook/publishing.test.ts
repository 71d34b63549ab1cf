import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf, type TestMedia } from '@switchboard/platform-kit/testing/test-media';
import { analytics } from './analytics.js';
import { publishVideo } from './videos.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { becomesReel } from './reels.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
const { apiVersion } = manifest;
beforeAll(async () => {
  world = await startWorld();
  session = testSession({ ...world, apiVersion, otherOrigins: [manifest.uploadBaseUrl] });
});
beforeEach(() => {
  world.repair();
  world.network.withhold([]);
  world.network.videos.setProcessingPolls(0);
  world.network.videos.setStatusLagPolls(0);
  world.network.videos.setEarlyProcessing(false);
  world.network.videos.setVideoOutcome('published');
  world.network.videos.limitPublishing(false);
  world.network.videos.setPieceBytes(1024 * 1024);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const remove = publishing.remove?.bind(publishing) as NonNullable<typeof publishing.remove>;

async function publish(item: PublishItem, saveReceipt = discardReceipt) {
  const result = await publishing.publish(session, item, saveReceipt);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, storedPost: world.network.book.post(result.value.externalId) };
}

const counted = { views: 120, reach: 80, likes: 9, comments: 3, shares: 2, clicks: 6 };

/** Runs a part over its attempts, each with the receipt of the one before, and its lookup. */
function attemptsAt(text: string, ...media: TestMedia[]) {
  let receipt: PublishItem['receipt'] = {};
  const item = buildItem(text, { media, createdAt: world.network.now() });
  const saveReceipt = async (stored: PublishItem['receipt']) => void (receipt = stored);
  return {
    attempt: () => publishing.publish(session, { ...item, receipt }, saveReceipt),
    impatient: () =>
      publishVideo(session, { ...item, receipt }, item.media[0] as TestMedia, saveReceipt, [1, 1]),
    look: () => find(session, { ...item, media: [], receipt }),
  };
}

describe('a link', () => {
  const link = 'https://example.com/a';

  test('is shared below its text', async () => {
    const { storedPost } = await publish(buildItem('Read this', { link }));
    expect(storedPost).toMatchObject({ message: 'Read this', link });
  });

  test('needs no text, and is found without', async () => {
    const createdAt = world.network.now();
    const item = buildItem('', { link, createdAt });
    const { storedPost, externalId } = await publish(item);
    expect(storedPost).toMatchObject({ message: '', link });
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('to a video on another site is not a video of the page’s, and is found, with and without text', async () => {
    const link = 'https://youtu.be/dQw4w9WgXcQ';
    for (const text of ['', 'Watch']) {
      const item = buildItem(text, { link, createdAt: world.network.now() });
      const { externalId } = await publish(item);
      expect(await find(session, item)).toMatchObject({ value: { externalId } });
    }
  });

  test('is found however Facebook rewrites its URL', async () => {
    const item = buildItem('Home', { link: 'https://example.com', createdAt: world.network.now() });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('is appended to the text of images, which share nothing', async () => {
    const { storedPost } = await publish(buildItem('Look', { link, media: [imageOf()] }));
    expect(storedPost).toMatchObject({ message: `Look\n${link}`, link: null });
  });
});

describe('the same text', () => {
  const links = [null, 'https://example.com/a', 'https://example.com/b'] as const;

  test.each(links)(
    'with the link %p is not mistaken for one with another link, or with none',
    async (link) => {
      const createdAt = world.network.now();
      const lost = buildItem(`New on the blog (${links.indexOf(link)})`, { link, createdAt });
      for (const other of links.filter((one) => one !== link)) {
        await publish({ ...lost, link: other });
        expect(await find(session, lost)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      }
    },
  );

  test('is distinguished by the shared link when both are published', async () => {
    const createdAt = world.network.now();
    for (const link of links) {
      const item = buildItem('Twice on the blog', { link, createdAt });
      const { externalId } = await publish(item);
      expect(await find(session, item)).toMatchObject({ value: { externalId } });
    }
  });
});

test('an empty post is refused with Facebook’s message', async () => {
  expect(await publishing.publish(session, buildItem(''), discardReceipt)).toMatchObject({
    failure: { code: 'platform.refused', platform: { name: 'Facebook Pages', code: '197' } },
  });
});

test('a duplicate text is reported as such, and nothing is posted', async () => {
  const strict = await startWorld({ refusesDuplicates: true });
  try {
    const once = () =>
      publishing.publish(testSession({ ...strict, apiVersion }), buildItem('Once'), discardReceipt);
    expect(await once()).toMatchObject({ ok: true });
    expect(await once()).toMatchObject({ failure: { code: 'platform.duplicate_content' } });
    expect(strict.effects()).toBe(1);
  } finally {
    await strict.close();
  }
});

describe('images without text', () => {
  test('that never arrived are not mistaken for others that were due at the same time', async () => {
    const first = attemptsAt('', imageOf());
    const lost = attemptsAt('', imageOf());
    const out = await first.attempt();
    world.break('reset-before-effect', 1);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    // IDs of images may change, so this requires a manual check.
    expect(await lost.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const found = await first.look();
    expect(found.ok && found.value?.externalId).toBe(out.ok && out.value.externalId);
  });

  test('that Facebook no longer has are uploaded again', async () => {
    const image = imageOf();
    const forgotten = attemptsAt('Late', image);
    world.break('429', 1);
    expect(await forgotten.attempt()).toMatchObject({ failure: { code: 'platform.rate_limited' } });
    world.network.book.forgetPhotos();
    expect(await forgotten.attempt()).toMatchObject({ ok: true });
    expect(image.reads()).toBe(2);
  });
});

const created = { video: () => videoOf(), reel: () => videoOf({ upright: true }) };

describe.each(['video', 'reel'] as const)('a %s', (kind) => {
  const video = created[kind];

  test('arrives completely, with its text and as its type', async () => {
    const medium = video();
    const { storedPost, url } = await publish(buildItem('Moving', { media: [medium] }));
    const { sha256 } = medium;
    expect(storedPost).toMatchObject({ message: 'Moving', video: { sha256 }, isReel: kind === 'reel' });
    expect(url).toMatch(/^https:\/\/www\.facebook\.com\/reel\/\d+\/$/);
  });

  test('that is processed longer than an attempt waits is looked up, and is one post', async () => {
    world.network.videos.setProcessingPolls(4);
    const slow = attemptsAt('Slow', video());
    const [effects, uploads] = [world.effects(), world.network.videos.uploads()];
    expect(await slow.impatient()).toMatchObject({
      failure: { code: 'platform.outcome_unknown', retryAfterSeconds: 60 },
    });
    expect(await slow.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    // A further retry sends nothing.
    expect(await slow.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await slow.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect([world.effects(), world.network.videos.uploads()]).toEqual([effects + 1, uploads + 1]);
  });

  test('that cannot be processed is refused, and uploaded anew by a retry', async () => {
    world.network.videos.setVideoOutcome('nothing');
    const broken = attemptsAt('Broken', video());
    const refused = await broken.attempt();
    expect(refused).toMatchObject({ failure: { code: 'platform.refused' } });
    // For a reel Facebook reports the reason.
    const reported = refused.ok ? null : refused.failure.platform?.message;
    expect(reported?.startsWith('Resolution too low')).toBe(kind === 'reel' ? true : undefined);
    expect(await broken.look()).toEqual({ ok: true, value: null });
    world.network.videos.setVideoOutcome('published');
    expect(await broken.attempt()).toMatchObject({ ok: true });
  });

  test('that Facebook keeps as a draft is not reported as published, and not sent again', async () => {
    world.network.videos.setVideoOutcome('draft');
    const hidden = attemptsAt('Kept back', video());
    const uploads = world.network.videos.uploads();
    expect(await hidden.impatient()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await hidden.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await hidden.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(world.network.videos.uploads()).toBe(uploads + 1);
  });

  test('that Facebook accepted but does not report yet is waited for, and never finished again', async () => {
    world.network.videos.setStatusLagPolls(5);
    const lagging = attemptsAt('Lagging', video());
    expect(await lagging.impatient()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const effects = world.effects();
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await lagging.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(effects);
  });

  test('that may not be published now is reported as such at every attempt, and is then published', async () => {
    const medium = video();
    const limited = attemptsAt('Limited', medium);
    world.network.videos.limitPublishing(true);
    for (let tries = 0; tries < 2; tries++) {
      expect(await limited.attempt()).toMatchObject({
        failure: { code: 'platform.rate_limited', retryAfterSeconds: 600 },
      });
      expect(await limited.look()).toEqual({ ok: true, value: null });
    }
    world.network.withhold(['pages_manage_posts']);
    expect(await limited.attempt()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
    world.network.withhold([]);
    world.network.videos.limitPublishing(false);
    expect(await limited.attempt()).toMatchObject({ ok: true });
    expect(medium.reads()).toBe(1);
  });

  test('that was uploaded completely is not uploaded again', async () => {
    const medium = video();
    const lost = attemptsAt('Sent', medium);
    // It is started, the bytes are uploaded, and then it is published.
    world.break('reset-before-effect', 2);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lost.look()).toEqual({ ok: true, value: null });
    expect(await lost.attempt()).toMatchObject({ ok: true });
    expect(medium.reads()).toBe(1);
  });

  test('whose response was lost is found by its ID, and is one post', async () => {
    const lost = attemptsAt('Lost', video());
    const effects = world.effects();
    world.break('reset-after-effect', 2);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lost.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(effects + 1);
  });

  test('whose bytes did not arrive is started anew', async () => {
    const medium = video();
    const half = attemptsAt('Half', medium);
    world.break('500-before', 1);
    expect(await half.attempt()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const out = await half.attempt();
    const id = out.ok ? out.value.externalId : '';
    expect(world.network.book.post(id)?.video?.sha256).toBe(medium.sha256);
  });

  test('whose repeated publish request is refused may have been published by the first', async () => {
    const again = attemptsAt('Twice', video());
    world.break('reset-before-effect', 2);
    await again.attempt();
    // It still exists, and can no longer be finished.
    world.network.videos.endSessions();
    expect(await again.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await again.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });

  test('that was removed is not published again', async () => {
    const accepted = attemptsAt('Removed', video());
    const out = await accepted.attempt();
    const part = { externalId: out.ok ? out.value.externalId : '', url: null, receipt: {} };
    expect(await remove(session, part)).toMatchObject({ ok: true });
    expect(await accepted.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await remove(session, part)).toMatchObject({ ok: true });
  });
});

describe('a video in chunks', () => {
  test('arrives completely', async () => {
    const video = videoOf({ bytes: 1_200_000 });
    const { storedPost } = await publish(buildItem('Long', { media: [video] }));
    expect(storedPost).toMatchObject({ video: { sha256: video.sha256 } });
  });

  test('is not sent in more of them than a limit', async () => {
    world.network.videos.setPieceBytes(1);
    const video = videoOf({ bytes: 4_000 });
    expect(await attemptsAt('Crumbs', video).attempt()).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect(video.reads()).toBe(2_048);
  });
});

describe('a reel', () => {
  const upright = { width: 1_080, height: 1_920, durationSeconds: 90 };
  const reel = { post_type: 'reel' };
  const checked = (options: object, ...media: TestMedia[]) =>
    publishing.check?.({ ...buildItem('Moving', { media }), options: { ...options } });

  test('that is requested as a video of the page is one', async () => {
    const media = [videoOf({ upright: true })];
    const { storedPost } = await publish(buildItem('Video', { media, options: { post_type: 'feed' } }));
    expect(storedPost).toMatchObject({ isReel: false });
  });

  test.each<[string, Partial<TestMedia>, string | null]>([
    ['with the maximum duration of a reel', {}, null],
    ['with the minimum duration of a reel', { durationSeconds: 3 }, null],
    ['with a wider aspect ratio, at the minimum size', { width: 540, height: 960 }, null],
    ['less tall', { width: 1_080, height: 1_350 }, null],
    ['short of 9:16 by less than a pixel', { height: 1_921 }, null],
    ['too long', { durationSeconds: 90.1 }, '3 to 90 seconds'],
    ['too short', { durationSeconds: 2.9 }, '3 to 90 seconds'],
    ['as wide as it is high', { width: 1_080, height: 1_080 }, 'portrait'],
    ['too narrow', { width: 886 }, '9:16'],
    ['too small', { width: 536, height: 952 }, '540 × 960'],
  ])('is a reel when %s, and nothing else is', (_, facts, reason) => {
    const video = { ...videoOf(), ...upright, ...facts };
    const problems = checked(reel, video);
    expect(problems?.map(({ path, code }) => `${path} ${code}`)).toEqual(
      reason === null ? [] : ['options.post_type option.invalid'],
    );
    if (reason !== null) expect(problems?.[0]?.message).toContain(reason);
    expect(becomesReel({ options: {} }, video)).toBe(reason === null);
    // It may be any other video of the page.
    expect(checked({ post_type: 'feed' }, video)).toEqual([]);
  });

  test('is exactly one video, with no other media', () => {
    const wrong = [['options.post_type', 'A reel must be exactly one video.']];
    const reported = (...media: TestMedia[]) =>
      checked(reel, ...media)?.map(({ path, message }) => [path, message]);
    expect(reported()).toEqual(wrong);
    expect(reported(imageOf())).toEqual(wrong);
    // Media that is still being fetched may be a video.
    expect(publishing.check?.({ ...buildItem('Moving', { mediaCount: 1 }), options: reel })).toEqual([]);
    const below = buildItem('Sources', { kind: 'comment' });
    expect(publishing.check?.({ ...below, options: reel })).toEqual([]);
  });

  test('that is found not to be one on arrival is a problem then', () => {
    expect(checked(reel)?.map(({ path }) => path)).toEqual(['options.post_type']);
    expect(checked(reel, videoOf())?.map(({ path }) => path)).toEqual(['options.post_type']);
  });

  test('that Facebook has processed before it is finished is not published, and is then finished once', async () => {
    world.network.videos.setEarlyProcessing(true);
    const medium = videoOf({ upright: true });
    const early = attemptsAt('Early', medium);
    const effects = world.effects();
    world.break('reset-before-effect', 2);
    expect(await early.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await early.look()).toEqual({ ok: true, value: null });
    expect(await early.attempt()).toMatchObject({ ok: true });
    expect([world.effects(), medium.reads()]).toEqual([effects + 1, 1]);
  });

  test('whose status lags behind a finish without a response is one reel, however often it is finished', async () => {
    world.network.videos.setEarlyProcessing(true);
    world.network.videos.setStatusLagPolls(2);
    const lagging = attemptsAt('Unheard', videoOf({ upright: true }));
    const effects = world.effects();
    world.break('reset-after-effect', 2);
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toEqual({ ok: true, value: null });
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(effects + 1);
  });

  test('above the daily limit is deferred, and loses nothing', async () => {
    const strict = await startWorld();
    try {
      const open = testSession({ ...strict, apiVersion, otherOrigins: [manifest.uploadBaseUrl] });
      const one = () =>
        publishing.publish(
          open,
          buildItem('One more', { media: [videoOf({ upright: true })] }),
          discardReceipt,
        );
      for (let created = 0; created < 30; created++) expect(await one()).toMatchObject({ ok: true });
      expect(await one()).toMatchObject({ failure: { code: 'platform.rate_limited' } });
      expect(strict.effects()).toBe(30);
    } finally {
      await strict.close();
    }
  });
});

test('that this login may no longer access is not mistaken for gone', async () => {
  const { externalId, ...part } = await publish(buildItem('Stays'));
  world.network.withhold(['pages_manage_posts', 'read_insights']);
  const missing = { failure: { code: 'platform.permission_missing' } };
  expect(await remove(session, { externalId, ...part })).toMatchObject(missing);
  expect(await analytics.ofPosts(session, [externalId])).toMatchObject(missing);
  expect(world.network.book.post(externalId)).not.toBeNull();
  world.network.book.remove(externalId);
  expect(await remove(session, { externalId, ...part })).toMatchObject({ ok: true });
  expect(await analytics.ofPosts(session, [externalId])).toEqual({ ok: true, value: new Map() });
});

test('metrics are lifetime values, even when daily values are reported too', async () => {
  const { externalId } = await publish(buildItem('Counted'));
  const read = await analytics.ofPosts(session, [externalId]);
  expect(read.ok && read.value.get(externalId)).toEqual({ ...noMetrics, ...counted });
});

describe('a comment', () => {
  test('of an unknown author with the same text may be the page’s own', async () => {
    const root = await publish(buildItem('Yeast'));
    const createdAt = world.network.now();
    const item = buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root }, createdAt });
    world.network.book.write({ objectId: root.externalId, authorId: null, message: 'Others' });
    expect(await find(session, item)).toEqual({ ok: true, value: null });
    world.network.book.write({ objectId: root.externalId, authorId: null, message: 'Sources' });
    expect(await find(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('is distinguished from another author’s with the same text', async () => {
    const root = await publish(buildItem('Bread'));
    const createdAt = world.network.now();
    const item = buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root }, createdAt });
    world.network.book.write({ objectId: root.externalId, authorId: '42', message: 'Sources' });
    expect(await find(session, item)).toEqual({ ok: true, value: null });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('is added to a video, too', async () => {
    const root = await publish(buildItem('Rolls', { media: [videoOf()] }));
    const { externalId } = await publish(
      buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root } }),
    );
    expect(world.network.book.comment(externalId)).toMatchObject({ objectId: root.externalId });
  });

  test('requires a manual check among more comments than can be searched', async () => {
    const root = await publish(buildItem('Cake'));
    for (let at = 0; at < 501; at++) {
      world.network.book.write({ objectId: root.externalId, authorId: '42', message: `No. ${at}` });
    }
    const item = buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root } });
    expect(await find(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });
});
