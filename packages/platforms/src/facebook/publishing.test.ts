import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { noMetrics, type PublishItem, type Session } from '@switchboard/domain';
import { itemOf, nothingKept } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { imageOf, videoOf, type TestMedia } from '../kit/testing/test-media.js';
import { analytics } from './analytics.js';
import { publishFilm } from './films.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld, type FacebookWorld } from './testing/world.js';

let world: FacebookWorld;
let session: Session;
const { apiVersion } = manifest;
beforeAll(async () => {
  world = await startWorld();
  session = testSession({ ...world, apiVersion });
});
beforeEach(() => {
  world.mend();
  world.network.withhold([]);
  world.network.films.processingTakes(0);
  world.network.films.statusLags(0);
  world.network.films.willBecome('published');
  world.network.films.limitFinishing(false);
  world.network.films.takesPiecesOf(1024 * 1024);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const remove = publishing.remove?.bind(publishing) as NonNullable<typeof publishing.remove>;

async function publish(item: PublishItem, remember = nothingKept) {
  const result = await publishing.publish(session, item, remember);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, stands: world.network.book.post(result.value.externalId) };
}

const counted = { views: 120, reach: 80, likes: 9, comments: 3, shares: 2, clicks: 6 };

/** A part over its attempts: what one remembers, the next is given, and whoever looks for it. */
function attemptsAt(text: string, ...media: TestMedia[]) {
  let receipt: PublishItem['receipt'] = {};
  const item = itemOf(text, { media, createdAt: world.network.now() });
  const remember = async (kept: PublishItem['receipt']) => void (receipt = kept);
  return {
    attempt: () => publishing.publish(session, { ...item, receipt }, remember),
    impatient: () => publishFilm(session, { ...item, receipt }, item.media[0] as TestMedia, remember, [1, 1]),
    look: () => find(session, { ...item, media: [], receipt }),
  };
}

describe('a link', () => {
  const link = 'https://example.com/a';

  test('is what is shared, below the words that it stands with', async () => {
    const { stands } = await publish(itemOf('Read this', { link }));
    expect(stands).toMatchObject({ message: 'Read this', link });
  });

  test('needs no words, and is found without', async () => {
    const createdAt = world.network.now();
    const item = itemOf('', { link, createdAt });
    const { stands, externalId } = await publish(item);
    expect(stands).toMatchObject({ message: '', link });
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('to a film elsewhere is no film of the page’s, and is found, with words and without', async () => {
    const link = 'https://youtu.be/dQw4w9WgXcQ';
    for (const text of ['', 'Watch']) {
      const item = itemOf(text, { link, createdAt: world.network.now() });
      const { externalId } = await publish(item);
      expect(await find(session, item)).toMatchObject({ value: { externalId } });
    }
  });

  test('is found however Facebook writes its address', async () => {
    const item = itemOf('Home', { link: 'https://example.com', createdAt: world.network.now() });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('stands below the words of pictures, which share nothing', async () => {
    const { stands } = await publish(itemOf('Look', { link, media: [imageOf()] }));
    expect(stands).toMatchObject({ message: `Look\n${link}`, link: null });
  });
});

describe('the same words', () => {
  const links = [null, 'https://example.com/a', 'https://example.com/b'] as const;

  test.each(links)('with the link %p are not taken for those with another, or with none', async (link) => {
    const createdAt = world.network.now();
    const lost = itemOf(`New on the blog (${links.indexOf(link)})`, { link, createdAt });
    for (const other of links.filter((one) => one !== link)) {
      await publish({ ...lost, link: other });
      expect(await find(session, lost)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    }
  });

  test('are told apart by what they share when both are out', async () => {
    const createdAt = world.network.now();
    for (const link of links) {
      const item = itemOf('Twice on the blog', { link, createdAt });
      const { externalId } = await publish(item);
      expect(await find(session, item)).toMatchObject({ value: { externalId } });
    }
  });
});

test('nothing at all is refused in the words of Facebook', async () => {
  expect(await publishing.publish(session, itemOf(''), nothingKept)).toMatchObject({
    failure: { code: 'platform.refused', platform: { name: 'Facebook Pages', code: '197' } },
  });
});

test('the same words twice are told as such, and nothing is posted', async () => {
  const strict = await startWorld({ refusesDuplicates: true });
  try {
    const once = () =>
      publishing.publish(testSession({ ...strict, apiVersion }), itemOf('Once'), nothingKept);
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
    const picture = imageOf();
    const forgotten = attemptsAt('Late', picture);
    world.break('429', 1);
    expect(await forgotten.attempt()).toMatchObject({ failure: { code: 'platform.rate_limited' } });
    world.network.book.forgetPhotos();
    expect(await forgotten.attempt()).toMatchObject({ ok: true });
    expect(picture.reads()).toBe(2);
  });
});

describe('a film', () => {
  test('of several pieces arrives whole, with its words', async () => {
    const film = videoOf({ bytes: 1_200_000 });
    const { stands, url } = await publish(itemOf('Long', { media: [film] }));
    expect(stands).toMatchObject({ message: 'Long', film: { sha256: film.sha256 } });
    expect(url).toMatch(/^https:\/\/www\.facebook\.com\/reel\/\d+\/$/);
  });

  test('that takes longer than anybody waits is looked up, and is one post', async () => {
    world.network.films.processingTakes(4);
    const slow = attemptsAt('Slow', videoOf());
    const [made, uploads] = [world.effects(), world.network.films.uploads()];
    expect(await slow.impatient()).toMatchObject({
      failure: { code: 'platform.outcome_unknown', retryAfterSeconds: 60 },
    });
    expect(await slow.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    // Whoever tries again all the same sends nothing.
    expect(await slow.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await slow.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect([world.effects(), world.network.films.uploads()]).toEqual([made + 1, uploads + 1]);
  });

  test('of which nothing can be made is refused, and sent anew by whoever tries again', async () => {
    world.network.films.willBecome('nothing');
    const broken = attemptsAt('Broken', videoOf());
    expect(await broken.attempt()).toMatchObject({ failure: { code: 'platform.refused' } });
    expect(await broken.look()).toEqual({ ok: true, value: null });
    world.network.films.willBecome('published');
    expect(await broken.attempt()).toMatchObject({ ok: true });
  });

  test('that Facebook keeps as a draft is not called published, and not sent again', async () => {
    world.network.films.willBecome('draft');
    const hidden = attemptsAt('Upright', videoOf());
    const uploads = world.network.films.uploads();
    expect(await hidden.impatient()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await hidden.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await hidden.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(world.network.films.uploads()).toBe(uploads + 1);
  });

  test('that Facebook took and tells nothing of yet is waited for, and never finished again', async () => {
    world.network.films.statusLags(5);
    const lagging = attemptsAt('Lagging', videoOf());
    expect(await lagging.impatient()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const made = world.effects();
    expect(await lagging.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lagging.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await lagging.look()).toMatchObject({ value: { externalId: expect.any(String) } });
    expect(world.effects()).toBe(made);
  });

  test('that may not be published now is told as such at every try, and is then published', async () => {
    const film = videoOf();
    const limited = attemptsAt('Limited', film);
    world.network.films.limitFinishing(true);
    for (let tries = 0; tries < 2; tries++) {
      expect(await limited.attempt()).toMatchObject({
        failure: { code: 'platform.rate_limited', retryAfterSeconds: 600 },
      });
      expect(await limited.look()).toEqual({ ok: true, value: null });
    }
    world.network.withhold(['pages_manage_posts']);
    expect(await limited.attempt()).toMatchObject({ failure: { code: 'platform.permission_missing' } });
    world.network.withhold([]);
    world.network.films.limitFinishing(false);
    expect(await limited.attempt()).toMatchObject({ ok: true });
    expect(film.reads()).toBe(1);
  });

  test('is not sent in more pieces than make sense', async () => {
    world.network.films.takesPiecesOf(1);
    const film = videoOf({ bytes: 4_000 });
    expect(await attemptsAt('Crumbs', film).attempt()).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect(film.reads()).toBe(2_048);
  });

  test('that was sent whole is not sent again', async () => {
    const film = videoOf();
    const lost = attemptsAt('Sent', film);
    // It is begun, one piece goes over, and then it is published.
    world.break('reset-before-effect', 2);
    expect(await lost.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await lost.look()).toEqual({ ok: true, value: null });
    expect(await lost.attempt()).toMatchObject({ ok: true });
    expect(film.reads()).toBe(1);
  });

  test('of which half went over is begun anew', async () => {
    const film = videoOf({ bytes: 1_200_000 });
    const half = attemptsAt('Half', film);
    world.break('500-before', 2);
    expect(await half.attempt()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const out = await half.attempt();
    const id = out.ok ? out.value.externalId : '';
    expect(world.network.book.post(id)?.film?.sha256).toBe(film.sha256);
  });

  test('whose publishing is refused when it is tried again may be out because of the first', async () => {
    const film = attemptsAt('Twice', videoOf());
    world.break('reset-before-effect', 2);
    await film.attempt();
    // It is still there, and the session that it was sent in is over.
    world.network.films.endSessions();
    expect(await film.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await film.look()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });

  test('that somebody removed is not published again', async () => {
    const film = attemptsAt('Removed', videoOf());
    const out = await film.attempt();
    const part = { externalId: out.ok ? out.value.externalId : '', url: null, receipt: {} };
    expect(await remove(session, part)).toMatchObject({ ok: true });
    expect(await film.look()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await remove(session, part)).toMatchObject({ ok: true });
  });
});

test('what this login may not touch any more is not taken for gone', async () => {
  const { externalId, ...part } = await publish(itemOf('Stays'));
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
  const { externalId } = await publish(itemOf('Counted'));
  const read = await analytics.ofPosts(session, [externalId]);
  expect(read.ok && read.value.get(externalId)).toEqual({ ...noMetrics, ...counted });
});

describe('a comment', () => {
  test('of nobody knows whom with the same words may be the page’s own', async () => {
    const root = await publish(itemOf('Yeast'));
    const createdAt = world.network.now();
    const item = itemOf('Sources', { kind: 'comment', answers: { root, parent: root }, createdAt });
    world.network.book.write({ objectId: root.externalId, authorId: null, message: 'Others' });
    expect(await find(session, item)).toEqual({ ok: true, value: null });
    world.network.book.write({ objectId: root.externalId, authorId: null, message: 'Sources' });
    expect(await find(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('is told from one of somebody else’s with the same words', async () => {
    const root = await publish(itemOf('Bread'));
    const createdAt = world.network.now();
    const item = itemOf('Sources', { kind: 'comment', answers: { root, parent: root }, createdAt });
    world.network.book.write({ objectId: root.externalId, authorId: '42', message: 'Sources' });
    expect(await find(session, item)).toEqual({ ok: true, value: null });
    const { externalId } = await publish(item);
    expect(await find(session, item)).toMatchObject({ value: { externalId } });
  });

  test('stands below a film, too', async () => {
    const root = await publish(itemOf('Rolls', { media: [videoOf()] }));
    const { externalId } = await publish(
      itemOf('Sources', { kind: 'comment', answers: { root, parent: root } }),
    );
    expect(world.network.book.comment(externalId)).toMatchObject({ objectId: root.externalId });
  });

  test('is for a person among more than can be looked through', async () => {
    const root = await publish(itemOf('Cake'));
    for (let at = 0; at < 501; at++) {
      world.network.book.write({ objectId: root.externalId, authorId: '42', message: `No. ${at}` });
    }
    const item = itemOf('Sources', { kind: 'comment', answers: { root, parent: root } });
    expect(await find(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });
});
