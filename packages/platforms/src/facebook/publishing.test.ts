import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain';
import { itemOf, nothingKept } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { imageOf, videoOf, type TestMedia } from '../kit/testing/test-media.js';
import { publishFilm } from './films.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld, type FacebookWorld } from './testing/world.js';

let world: FacebookWorld;
let session: Session;
const { apiVersion } = manifest;
beforeAll(async () => {
  world = await startWorld({ refusesDuplicates: true });
  session = testSession({ ...world, apiVersion });
});
beforeEach(() => {
  world.mend();
  world.network.films.processingTakes(0);
  world.network.films.processingFails(false);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const remove = publishing.remove?.bind(publishing) as NonNullable<typeof publishing.remove>;

async function publish(item: PublishItem, remember = nothingKept) {
  const result = await publishing.publish(session, item, remember);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, stands: world.network.book.post(result.value.externalId) };
}

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

  test('stands below the words of pictures, which share nothing', async () => {
    const { stands } = await publish(itemOf('Look', { link, media: [imageOf()] }));
    expect(stands).toMatchObject({ message: `Look\n${link}`, link: null });
  });
});

test('nothing at all is refused in the words of Facebook', async () => {
  expect(await publishing.publish(session, itemOf(''), nothingKept)).toMatchObject({
    failure: { code: 'platform.refused', platform: { name: 'Facebook Pages', code: '197' } },
  });
});

test('the same words twice are told as such, and nothing is posted', async () => {
  await publish(itemOf('Once'));
  const made = world.effects();
  expect(await publishing.publish(session, itemOf('Once'), nothingKept)).toMatchObject({
    failure: { code: 'platform.duplicate_content' },
  });
  expect(world.effects()).toBe(made);
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
    world.network.films.processingFails(true);
    const broken = attemptsAt('Broken', videoOf());
    expect(await broken.attempt()).toMatchObject({ failure: { code: 'platform.refused' } });
    expect(await broken.look()).toEqual({ ok: true, value: null });
    world.network.films.processingFails(false);
    expect(await broken.attempt()).toMatchObject({ ok: true });
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

describe('a comment', () => {
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
