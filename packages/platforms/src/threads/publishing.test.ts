import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain';
import { CONTAINER, publishContainer } from '../kit/graph-containers.js';
import { buildItem, discardReceipt } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { imageOf, videoOf } from '../kit/testing/test-media.js';
import { manifest } from './manifest.js';
import { containerPlanOf, containerApiOf } from './media.js';
import { publishing } from './publishing.js';
import { startWorld, type ThreadsWorld } from './testing/world.js';

let world: ThreadsWorld;
let session: Session;
const { apiVersion } = manifest;
beforeAll(async () => {
  world = await startWorld();
  session = testSession({ ...world, apiVersion });
});
beforeEach(() => {
  world.repair();
  world.network.containers.setProcessingPolls(0);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const remove = publishing.remove?.bind(publishing) as NonNullable<typeof publishing.remove>;
const checked = (text: string, more: Partial<PublishItem> = {}) =>
  (publishing.check?.(buildItem(text, more)) ?? []).map(({ path, code }) => [path, code]);

/** A part over its attempts: what one remembers, the next is given. */
function attemptsAt(item: PublishItem) {
  let receipt: PublishItem['receipt'] = {};
  const saveReceipt = async (stored: PublishItem['receipt']) => void (receipt = stored);
  return {
    receipt: () => receipt,
    publish: () => publishing.publish(session, { ...item, receipt }, saveReceipt),
    impatiently: () =>
      publishContainer(
        session,
        containerApiOf(session),
        containerPlanOf(item),
        { receipt },
        saveReceipt,
        [1, 1],
      ),
    find: () => find(session, { ...item, media: [], receipt }),
  };
}

async function publish(item: PublishItem) {
  const result = await publishing.publish(session, item, discardReceipt);
  if (!result.ok) throw new Error(result.failure.code);
  return { ...result.value, stands: world.network.posts.find(result.value.externalId) };
}

test('a post has its topic and its audience, its parts do not say them again, and all have an address', async () => {
  const options = { topic_tag: 'Bread', reply_control: 'followers_only' };
  const root = await publish(buildItem('Pa amb tomàquet', { options }));
  expect(root.stands).toMatchObject({ topic: 'Bread', audience: 'followers_only' });
  expect(root.url).toMatch(/^https:\/\/www\.threads\.com\/@alice\/post\//);
  const second = await publish(
    buildItem('2/2', { kind: 'thread', options, replyTo: { root, parent: root } }),
  );
  expect(second.stands).toMatchObject({ topic: null, audience: 'everyone', root: root.externalId });
});

test('a post that is out is so also where nobody tells its address', async () => {
  // It is made, looked at and published.
  world.break('reset-before-effect', 3);
  const out = await publish(buildItem('Somewhere'));
  expect(out).toMatchObject({ url: null, stands: { text: 'Somewhere' } });
});

describe('a link', () => {
  const link = 'https://example.com/a';
  test('is attached to a text, and not in it', async () => {
    expect((await publish(buildItem('Read this', { link }))).stands).toMatchObject({
      text: 'Read this',
      link,
    });
  });
  test('stands below the text where there are media', async () => {
    const { stands } = await publish(buildItem('Read this', { link, media: [imageOf()] }));
    expect(stands).toMatchObject({ text: `Read this\n${link}`, link: null });
  });
  test('is told from a longer one that begins with it', async () => {
    const text = `Read ${link}bout`;
    expect((await publish(buildItem(text, { link }))).stands).toMatchObject({ text, link });
    const { stands } = await publish(buildItem(text, { link, media: [imageOf()] }));
    expect(stands).toMatchObject({ text: `${text}\n${link}`, link: null });
  });
  test('is the text where there is none, and is not said twice', async () => {
    expect((await publish(buildItem('', { link }))).stands).toMatchObject({ text: link, link: null });
    expect((await publish(buildItem(`At ${link}`, { link }))).stands).toMatchObject({
      text: `At ${link}`,
      link: null,
    });
  });
});

describe('before anything is sent', () => {
  const links = (many: number) =>
    Array.from({ length: many }, (_, at) => `https://example.com/${at}`).join(' ');
  test('a sixth link is refused, and one that is there twice counts once', () => {
    expect(checked(`${links(5)} ${links(5)}`)).toEqual([]);
    expect(checked(links(6))).toEqual([['text', 'text.too_many_links']]);
    expect(checked(links(5), { link: 'https://example.com/6' })).toEqual([['text', 'text.too_many_links']]);
    expect(checked(links(5), { link: 'https://example.com/4' })).toEqual([]);
  });

  test.each(['v1.0', 'R&D', ' '])('the topic %j is refused', (topic_tag) => {
    expect(checked('Hello', { options: { topic_tag } })).toEqual([['options.topic_tag', 'option.invalid']]);
  });

  test('an emoji counts as its bytes', () => expect(publishing.count('👨‍👩‍👧‍👦!')).toBe(26));
});

describe('a container', () => {
  const created = () => world.network.containers.createdCount().length;

  test('that is still filled is left to a later attempt, which makes no other', async () => {
    world.network.containers.setProcessingPolls(4);
    const part = attemptsAt(buildItem('Slow', { media: [videoOf()] }));
    const before = created();
    expect(await part.impatiently()).toMatchObject({
      failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
    });
    expect(await part.find()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const effects = world.effects();
    expect((await part.publish()).ok).toBe(true);
    expect([created(), world.effects()]).toEqual([before + 1, effects + 1]);
  });

  test('that was published, with its answer lost, is never published again and leads to its post', async () => {
    const part = attemptsAt(buildItem('Answer lost', { media: [imageOf(), imageOf()] }));
    const effects = world.effects();
    // Two children made and looked at, the whole made and looked at, and then the one that publishes.
    world.break('reset-after-effect', 6);
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const requests = world.requests();
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    // Its pictures are not asked for again: the whole says that it is out, and is looked at twice.
    expect([world.requests(), world.effects()]).toEqual([requests + 2, effects + 1]);
    expect(await part.find()).toMatchObject({ ok: true, value: { receipt: {} } });
  });

  test('that says it is out, while no list shows it, is not taken for absent', async () => {
    const part = attemptsAt(buildItem('Listed later'));
    const published = await part.publish();
    if (!published.ok) throw new Error('it was not published');
    // As a list that lags would have it.
    world.network.posts.remove(published.value.externalId);
    expect(await part.find()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });
});

describe('a post that is like the one beside it', () => {
  const item = (text: string) => buildItem(text, { media: [imageOf()], createdAt: world.network.now() });
  const published = async (part: ReturnType<typeof attemptsAt>) => {
    const result = await part.publish();
    if (!result.ok) throw new Error(result.failure.code);
    return result.value.externalId;
  };
  const lost = async (text: string) => {
    const part = attemptsAt(item(text));
    // It is made and looked at, and then published.
    world.break('reset-before-effect', 2);
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    return part;
  };
  const forPerson = { failure: { code: 'platform.outcome_unknown' } };

  test('and never arrived is not taken for it, by its words', async () => {
    const alone = await lost('Beside');
    expect(await alone.find()).toEqual({ ok: true, value: null });
    await published(attemptsAt(item('Beside')));
    expect(await alone.find()).toMatchObject(forPerson);
  });

  test('and never arrived is not taken for it, without words', async () => {
    const alone = await lost('');
    const out = await published(attemptsAt(item('')));
    expect(await alone.find()).toEqual({ ok: true, value: null });
    expect(await published(alone)).not.toBe(out);
    world.network.posts.remove(out);
    expect(await alone.find()).toMatchObject({ value: { receipt: {} } });
  });

  test.each(['Beside', ''])('and has no container (%j) is not out, whatever is listed', async (text) => {
    await published(attemptsAt(item(text)));
    expect(await attemptsAt(item(text)).find()).toEqual({ ok: true, value: null });
  });

  test.each(['Gone', ''])('and whose container (%j) is gone was perhaps published', async (text) => {
    const part = attemptsAt(item(text));
    const externalId = await published(part);
    world.network.containers.forget(part.receipt()[CONTAINER] ?? '');
    // Only words tell it from another.
    expect(await part.find()).toMatchObject(text === '' ? forPerson : { value: { externalId } });
    // As a list that lags would have it.
    world.network.posts.remove(externalId);
    expect(await part.find()).toMatchObject(forPerson);
  });
});

test('two posts with the same words, made at the same time, are for a person to tell apart', async () => {
  const part = attemptsAt(buildItem('Twins'));
  await publish(buildItem('Twins'));
  await part.publish();
  expect(await part.find()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('a day’s posts that are used up are a limit and no refusal', async () => {
  world.network.limitTo({ posts: 0 });
  expect(await publishing.publish(session, buildItem('One too many'), discardReceipt)).toMatchObject({
    failure: { code: 'platform.rate_limited' },
  });
  world.network.limitTo({ posts: 10_000 });
});

test('what may not be removed is not taken for gone', async () => {
  const posted = await publish(buildItem('Stays'));
  const refused = { ...session, request: hidingRemovals(session) };
  expect(await remove(refused, posted)).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  expect(world.network.posts.find(posted.externalId)).not.toBeNull();
});

/** Threads without the permission to delete, as it might say it: the same as of what is not there. */
const hidingRemovals =
  (open: Session): Session['request'] =>
  (request) =>
    open.request(request.method === 'DELETE' ? { ...request, path: '/v1.0/nothing' } : request);
