import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { noMetrics, type PublishItem, type Session } from '@switchboard/domain';
import { buildItem, discardReceipt } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { imageOf, videoOf, type TestMedia } from '../kit/testing/test-media.js';
import { analytics } from './analytics.js';
import { publishVideo } from './videos.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { becomesReel } from './reels.js';
import { startWorld, type FacebookWorld } from './testing/world.js';

let world: FacebookWorld;
let session: Session;
const { apiVersion } = manifest;
beforeAll(async () => {
  world = await startWorld();
  session = testSession({ ...world, apiVersion, otherOrigins: [manifest.uploadBaseUrl] });
});
beforeEach(() => {
  world.repair();
  world.network.withhold([]);
  world.network.films.setProcessingPolls(0);
  world.network.films.setStatusLagPolls(0);
  world.network.films.setEarlyProcessing(false);
  world.network.films.setVideoOutcome('published');
  world.network.films.limitPublishing(false);
  world.network.films.setPieceBytes(1024 * 1024);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const remove = publishing.remove?.bind(publishing) as NonNullable<typeof publishing.remove>;

async function publish(item: PublishItem, saveReceipt = discardReceipt) {
  const result = await publishing.publish(session, item, saveReceipt);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, stands: world.network.book.post(result.value.externalId) };
}

const counted = { views: 120, reach: 80, likes: 9, comments: 3, shares: 2, clicks: 6 };

/** A part over its attempts: what one remembers, the next is given, and whoever looks for it. */
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

  test('is what is shared, below the words that it stands with', async () => {
    const { stands } = await publish(buildItem('Read this', { link }));
    expect(stands).toMatchObject({ message: 'Read this', link });
  });

  test('needs no words, and is found without', async () => {
    const createdAt = world.network.now();
    const item = buildItem('', { link, createdAt });
    const { stands, externalId } = await publish(item);
    expect(stands).toMatchObject({ message: '', link });
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('to a film elsewhere is no film of the page’s, and is found, with words and without', async () => {
    const link = 'https://youtu.be/dQw4w9WgXcQ';
    for (const text of ['', 'Watch']) {
      const item = buildItem(text, { link, createdAt: world.network.now() });
      const { externalId } = await publish(item);
      expect(await find(session, item)).toMatchObject({ value: { externalId } });
    }
  });

  test('is found however Facebook writes its address', async () => {
    const item = buildItem('Home', { link: 'https://example.com', createdAt: world.network.now() });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('stands below the words of pictures, which share nothing', async () => {
    const { stands } = await publish(buildItem('Look', { link, media: [imageOf()] }));
    expect(stands).toMatchObject({ message: `Look\n${link}`, link: null });
  });
});

describe('the same words', () => {
  const links = [null, 'https://example.com/a', 'https://example.com/b'] as const;

  test.each(links)('with the link %p are not taken for those with another, or with none', async (link) => {
    const createdAt = world.network.now();
    const lost = buildItem(`New on the blog (${links.indexOf(link)})`, { link, createdAt });
    for (const other of links.filter((one) => one !== link)) {
      await publish({ ...lost, link: other });
      expect(await find(session, lost)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    }
  });

  test('are told apart by what they share when both are out', async () => {
    const createdAt = world.network.now();
    for (const link of links) {
      const item = buildItem('Twice on the blog', { link, createdAt });
      const { externalId } = await publish(item);
      expect(await find(session, item)).toMatchObject({ value: { externalId } });
    }
  });
});

test('nothing at all is refused in the words of Facebook', async () => {
  expect(await publishing.publish(session, buildItem(''), discardReceipt)).toMatchObject({
    failure: { code: 'platform.refused', platform: { name: 'Facebook Pages', code: '197' } },
  });
});

test('the same words twice are told as such, and nothing is posted', async () => {
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

describe('pictures without words', () => {
  test('that never arrived are not taken for others that were due with them', async () => {
    const first = attemptsAt('', imageOf());
    const lost = attemptsAt('', imageOf());
    const out = await first.attempt();
    world.break('reset-before-effect', 1);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    // Ids of pictures may not stay what they were, so that a person looks.
    expect(await lost.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const found = await first.look();
    expect(found.ok && found.value?.externalId).toBe(out.ok && out.value.externalId);
  });

  test('that Facebook forgot are sent again', async () => {
    const image = imageOf();
    const forgotten = attemptsAt('Late', image);
    world.break('429', 1);
    expect(await forgotten.attempt()).toMatchObject({ failure: { code: 'platform.rate_limited' } });
    world.network.book.forgetPhotos();
    expect(await forgotten.attempt()).toMatchObject({ ok: true });
    expect(image.reads()).toBe(2);
  });
});

const created = { film: () => videoOf(), reel: () => videoOf({ upright: true }) };

describe.each(['film', 'reel'] as const)('a %s', (kind) => {
  const video = created[kind];

  test('arrives whole, with its words, as what it is', async () => {
    const medium = video();
    const { stands, url } = await publish(buildItem('Moving', { media: [medium] }));
    const { sha256 } = medium;
    expect(stands).toMatchObject({ message: 'Moving', film: { sha256 }, isReel: kind === 'reel' });
    expect(url).toMatch(/^https:\/\/www\.facebook\.com\/reel\/\d+\/$/);
  });

  test('that takes longer than anybody waits is looked up, and is one post', async () => {
    world.network.films.setProcessingPolls(4);
    const slow = attemptsAt('Slow', video());
    const [effects, uploads] = [world.effects(), world.network.films.uploads()];
    expect(await slow.impatient()).toMatchObject({
      failure: { code: 'platform.outcome_unknown', retryAfterSeconds: 60 },
    });
    expect(await slow.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    // Whoever tries again all the same sends nothing.
    expect(await slow.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await slow.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect([world.effects(), world.network.films.uploads()]).toEqual([effects + 1, uploads + 1]);
  });

  test('of which nothing can be made is refused, and sent anew by whoever tries again', async () => {
    world.network.films.setVideoOutcome('nothing');
    const broken = attemptsAt('Broken', video());
    const refused = await broken.attempt();
    expect(refused).toMatchObject({ failure: { code: 'platform.refused' } });
    // Of a reel Facebook says why.
    const reported = refused.ok ? null : refused.failure.platform?.message;
    expect(reported?.startsWith('Resolution too low')).toBe(kind === 'reel' ? true : undefined);
    expect(await broken.look()).toEqual({ ok: true, value: null });
    world.network.films.setVideoOutcome('published');
    expect(await broken.attempt()).toMatchObject({ ok: true });
  });

  test('that Facebook keeps as a draft is not called published, and not sent again', async () => {
    world.network.films.setVideoOutcome('draft');
    const hidden = attemptsAt('Kept back', video());
    const uploads = world.network.films.uploads();
    expect(await hidden.impatient()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await hidden.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await hidden.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(world.network.films.uploads()).toBe(uploads + 1);
  });

  test('that Facebook took and tells nothing of yet is waited for, and never finished again', async () => {
    world.network.films.setStatusLagPolls(5);
    const lagging = attemptsAt('Lagging', video());
    expect(await lagging.impatient()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const effects = world.effects();
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await lagging.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(effects);
  });

  test('that may not be published now is told as such at every try, and is then published', async () => {
    const medium = video();
    const limited = attemptsAt('Limited', medium);
    world.network.films.limitPublishing(true);
    for (let tries = 0; tries < 2; tries++) {
      expect(await limited.attempt()).toMatchObject({
        failure: { code: 'platform.rate_limited', retryAfterSeconds: 600 },
      });
      expect(await limited.look()).toEqual({ ok: true, value: null });
    }
    world.network.withhold(['pages_manage_posts']);
    expect(await limited.attempt()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
    world.network.withhold([]);
    world.network.films.limitPublishing(false);
    expect(await limited.attempt()).toMatchObject({ ok: true });
    expect(medium.reads()).toBe(1);
  });

  test('that was sent whole is not sent again', async () => {
    const medium = video();
    const lost = attemptsAt('Sent', medium);
    // It is begun, the bytes go over, and then it is published.
    world.break('reset-before-effect', 2);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lost.look()).toEqual({ ok: true, value: null });
    expect(await lost.attempt()).toMatchObject({ ok: true });
    expect(medium.reads()).toBe(1);
  });

  test('whose answer was lost is found by its id, and is one post', async () => {
    const lost = attemptsAt('Lost', video());
    const effects = world.effects();
    world.break('reset-after-effect', 2);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lost.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(effects + 1);
  });

  test('of which the bytes did not get through is begun anew', async () => {
    const medium = video();
    const half = attemptsAt('Half', medium);
    world.break('500-before', 1);
    expect(await half.attempt()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const out = await half.attempt();
    const id = out.ok ? out.value.externalId : '';
    expect(world.network.book.post(id)?.film?.sha256).toBe(medium.sha256);
  });

  test('whose publishing is refused when it is tried again may be out because of the first', async () => {
    const again = attemptsAt('Twice', video());
    world.break('reset-before-effect', 2);
    await again.attempt();
    // It is still there, and can be finished no more.
    world.network.films.endSessions();
    expect(await again.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await again.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });

  test('that somebody removed is not published again', async () => {
    const accepted = attemptsAt('Removed', video());
    const out = await accepted.attempt();
    const part = { externalId: out.ok ? out.value.externalId : '', url: null, receipt: {} };
    expect(await remove(session, part)).toMatchObject({ ok: true });
    expect(await accepted.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await remove(session, part)).toMatchObject({ ok: true });
  });
});

describe('a film in pieces', () => {
  test('arrives whole', async () => {
    const video = videoOf({ bytes: 1_200_000 });
    const { stands } = await publish(buildItem('Long', { media: [video] }));
    expect(stands).toMatchObject({ film: { sha256: video.sha256 } });
  });

  test('is not sent in more of them than make sense', async () => {
    world.network.films.setPieceBytes(1);
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

  test('that is asked for as a film of the page is one', async () => {
    const media = [videoOf({ upright: true })];
    const { stands } = await publish(buildItem('Film', { media, options: { post_type: 'feed' } }));
    expect(stands).toMatchObject({ isReel: false });
  });

  test.each<[string, Partial<TestMedia>, string | null]>([
    ['as long as a reel may be', {}, null],
    ['as short as a reel may be', { durationSeconds: 3 }, null],
    ['not as narrow, and as small as it may be', { width: 540, height: 960 }, null],
    ['less tall', { width: 1_080, height: 1_350 }, null],
    ['short of 9:16 by less than a pixel', { height: 1_921 }, null],
    ['too long', { durationSeconds: 90.1 }, '3 to 90 seconds'],
    ['too short', { durationSeconds: 2.9 }, '3 to 90 seconds'],
    ['as wide as it is high', { width: 1_080, height: 1_080 }, 'upright'],
    ['too narrow', { width: 886 }, '9:16'],
    ['too small', { width: 536, height: 952 }, '540 × 960'],
  ])('is what is %s, and nothing else is called one', (_, facts, why) => {
    const video = { ...videoOf(), ...upright, ...facts };
    const problems = checked(reel, video);
    expect(problems?.map(({ path, code }) => `${path} ${code}`)).toEqual(
      why === null ? [] : ['options.post_type option.invalid'],
    );
    if (why !== null) expect(problems?.[0]?.message).toContain(why);
    expect(becomesReel({ options: {} }, video)).toBe(why === null);
    // It may be any other film of the page.
    expect(checked({ post_type: 'feed' }, video)).toEqual([]);
  });

  test('is one film, and nothing beside it or in its place', () => {
    const wrong = [['options.post_type', 'A reel is one film.']];
    const reported = (...media: TestMedia[]) =>
      checked(reel, ...media)?.map(({ path, message }) => [path, message]);
    expect(reported()).toEqual(wrong);
    expect(reported(imageOf())).toEqual(wrong);
    // What is still on its way may be a film.
    expect(publishing.check?.({ ...buildItem('Moving', { mediaCount: 1 }), options: reel })).toEqual([]);
    const below = buildItem('Sources', { kind: 'comment' });
    expect(publishing.check?.({ ...below, options: reel })).toEqual([]);
  });

  test('that turned out to be none when it arrived is refused before anything is sent', async () => {
    const requests = world.requests();
    const item = buildItem('Wide', { media: [videoOf()], options: reel });
    expect(await publishing.publish(session, item, discardReceipt)).toMatchObject({
      failure: { code: 'platform.refused', message: expect.stringContaining('options.post_type') },
    });
    expect(world.requests()).toBe(requests);
  });

  test('that Facebook has processed before it is finished is not out, and is then finished once', async () => {
    world.network.films.setEarlyProcessing(true);
    const medium = videoOf({ upright: true });
    const early = attemptsAt('Early', medium);
    const effects = world.effects();
    world.break('reset-before-effect', 2);
    expect(await early.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await early.look()).toEqual({ ok: true, value: null });
    expect(await early.attempt()).toMatchObject({ ok: true });
    expect([world.effects(), medium.reads()]).toEqual([effects + 1, 1]);
  });

  test('whose status lags behind a finish that nobody heard of is one reel, however often it is finished', async () => {
    world.network.films.setEarlyProcessing(true);
    world.network.films.setStatusLagPolls(2);
    const lagging = attemptsAt('Unheard', videoOf({ upright: true }));
    const effects = world.effects();
    world.break('reset-after-effect', 2);
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toEqual({ ok: true, value: null });
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(effects + 1);
  });

  test('too many in a day is told to wait, and loses nothing', async () => {
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

test('what this login may not touch any more is not taken for gone', async () => {
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

test('numbers are those of all time, whatever is told of days', async () => {
  const { externalId } = await publish(buildItem('Counted'));
  const read = await analytics.ofPosts(session, [externalId]);
  expect(read.ok && read.value.get(externalId)).toEqual({ ...noMetrics, ...counted });
});

describe('a comment', () => {
  test('of nobody knows whom with the same words may be the page’s own', async () => {
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

  test('is told from one of somebody else’s with the same words', async () => {
    const root = await publish(buildItem('Bread'));
    const createdAt = world.network.now();
    const item = buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root }, createdAt });
    world.network.book.write({ objectId: root.externalId, authorId: '42', message: 'Sources' });
    expect(await find(session, item)).toEqual({ ok: true, value: null });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('stands below a film, too', async () => {
    const root = await publish(buildItem('Rolls', { media: [videoOf()] }));
    const { externalId } = await publish(
      buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root } }),
    );
    expect(world.network.book.comment(externalId)).toMatchObject({ objectId: root.externalId });
  });

  test('is for a person among more than can be looked through', async () => {
    const root = await publish(buildItem('Cake'));
    for (let at = 0; at < 501; at++) {
      world.network.book.write({ objectId: root.externalId, authorId: '42', message: `No. ${at}` });
    }
    const item = buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root } });
    expect(await find(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });
});
