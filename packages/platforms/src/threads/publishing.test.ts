import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { CONTAINER, publishContainer } from '../graph/graph-containers.js';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { manifest } from './manifest.js';
import { containerPlanOf, containerApiOf } from './media.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
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

/** A part over its attempts, each with the receipt of the one before. */
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
  return { ...result.value, storedPost: world.network.posts.find(result.value.externalId) };
}

test('a post has its topic and its audience, its parts do not repeat them, and all have a URL', async () => {
  const options = { topic_tag: 'Bread', reply_control: 'followers_only' };
  const root = await publish(buildItem('Pa amb tomàquet', { options }));
  expect(root.storedPost).toMatchObject({ topic: 'Bread', audience: 'followers_only' });
  expect(root.url).toMatch(/^https:\/\/www\.threads\.com\/@alice\/post\//);
  const second = await publish(
    buildItem('2/2', { kind: 'thread', options, replyTo: { root, parent: root } }),
  );
  expect(second.storedPost).toMatchObject({ topic: null, audience: 'everyone', root: root.externalId });
});

test('a published post without a reported URL is still published', async () => {
  // It is created, polled and published.
  world.break('reset-before-effect', 3);
  const out = await publish(buildItem('Somewhere'));
  expect(out).toMatchObject({ url: null, storedPost: { text: 'Somewhere' } });
});

describe('a link', () => {
  const link = 'https://example.com/a';
  test('is attached to a text, and not in it', async () => {
    expect((await publish(buildItem('Read this', { link }))).storedPost).toMatchObject({
      text: 'Read this',
      link,
    });
  });
  test('is appended to the text if there are media', async () => {
    const { storedPost } = await publish(buildItem('Read this', { link, media: [imageOf()] }));
    expect(storedPost).toMatchObject({ text: `Read this\n${link}`, link: null });
  });
  test('is distinguished from a longer one that begins with it', async () => {
    const text = `Read ${link}bout`;
    expect((await publish(buildItem(text, { link }))).storedPost).toMatchObject({ text, link });
    const { storedPost } = await publish(buildItem(text, { link, media: [imageOf()] }));
    expect(storedPost).toMatchObject({ text: `${text}\n${link}`, link: null });
  });
  test('is the text if there is none, and is not repeated', async () => {
    expect((await publish(buildItem('', { link }))).storedPost).toMatchObject({ text: link, link: null });
    expect((await publish(buildItem(`At ${link}`, { link }))).storedPost).toMatchObject({
      text: `At ${link}`,
      link: null,
    });
  });
});

describe('before anything is sent', () => {
  const links = (many: number) =>
    Array.from({ length: many }, (_, at) => `https://example.com/${at}`).join(' ');
  test('a sixth link is rejected, and a repeated one counts once', () => {
    expect(checked(`${links(5)} ${links(5)}`)).toEqual([]);
    expect(checked(links(6))).toEqual([['text', 'text.too_many_links']]);
    expect(checked(links(5), { link: 'https://example.com/6' })).toEqual([['text', 'text.too_many_links']]);
    expect(checked(links(5), { link: 'https://example.com/4' })).toEqual([]);
  });

  test.each(['v1.0', 'R&D', ' '])('the topic %j is rejected', (topic_tag) => {
    expect(checked('Hello', { options: { topic_tag } })).toEqual([['options.topic_tag', 'option.invalid']]);
  });

  test('an emoji counts as its bytes', () => expect(publishing.count('👨‍👩‍👧‍👦!')).toBe(26));
});

describe('a container', () => {
  const created = () => world.network.containers.createdCount().length;

  test('that is still processing is left to a later attempt, which creates no other', async () => {
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

  test('that was published, with its response lost, is never published again and leads to its post', async () => {
    const part = attemptsAt(buildItem('Answer lost', { media: [imageOf(), imageOf()] }));
    const effects = world.effects();
    // Two children created and polled, the parent created and polled, and then the publish request.
    world.break('reset-after-effect', 6);
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const requests = world.requests();
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    // Its images are not polled again: only the parent's status is read.
    expect([world.requests(), world.effects()]).toEqual([requests + 1, effects + 1]);
    expect(await part.find()).toMatchObject({ ok: true, value: { receipt: {} } });
  });

  test('whose status is published, while no list contains it, is not reported as absent', async () => {
    const part = attemptsAt(buildItem('Listed later'));
    const published = await part.publish();
    if (!published.ok) throw new Error('it was not published');
    // As in a list that lags behind.
    world.network.posts.remove(published.value.externalId);
    expect(await part.find()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });
});

describe('a post that is like the one posted next to it', () => {
  const item = (text: string) => buildItem(text, { media: [imageOf()], createdAt: world.network.now() });
  const published = async (part: ReturnType<typeof attemptsAt>) => {
    const result = await part.publish();
    if (!result.ok) throw new Error(result.failure.code);
    return result.value.externalId;
  };
  const lost = async (text: string) => {
    const part = attemptsAt(item(text));
    // It is created and polled, and then published.
    world.break('reset-before-effect', 2);
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    return part;
  };
  const forPerson = { failure: { code: 'platform.outcome_unknown' } };

  test('and never arrived is not mistaken for it, by its text', async () => {
    const alone = await lost('Beside');
    expect(await alone.find()).toEqual({ ok: true, value: null });
    await published(attemptsAt(item('Beside')));
    expect(await alone.find()).toMatchObject(forPerson);
  });

  test('and never arrived is not mistaken for it, without text', async () => {
    const alone = await lost('');
    const out = await published(attemptsAt(item('')));
    expect(await alone.find()).toEqual({ ok: true, value: null });
    expect(await published(alone)).not.toBe(out);
    world.network.posts.remove(out);
    expect(await alone.find()).toMatchObject({ value: { receipt: {} } });
  });

  test.each(['Beside', ''])(
    'and has no container (%j) is not published, even when a similar post is listed',
    async (text) => {
      await published(attemptsAt(item(text)));
      expect(await attemptsAt(item(text)).find()).toEqual({ ok: true, value: null });
    },
  );

  test.each(['Gone', ''])('and whose container (%j) has expired may have been published', async (text) => {
    const part = attemptsAt(item(text));
    const externalId = await published(part);
    world.network.containers.forget(part.receipt()[CONTAINER] ?? '');
    // Only the text distinguishes it from another.
    expect(await part.find()).toMatchObject(text === '' ? forPerson : { value: { externalId } });
    // As in a list that lags behind.
    world.network.posts.remove(externalId);
    expect(await part.find()).toMatchObject(forPerson);
  });
});

test('two posts with the same text, created at the same time, require a manual check', async () => {
  const part = attemptsAt(buildItem('Twins'));
  await publish(buildItem('Twins'));
  await part.publish();
  expect(await part.find()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('an exhausted daily quota is a rate limit and not a refusal', async () => {
  world.network.limitTo({ posts: 0 });
  expect(await publishing.publish(session, buildItem('One too many'), discardReceipt)).toMatchObject({
    failure: { code: 'platform.rate_limited' },
  });
  world.network.limitTo({ posts: 10_000 });
});

test('what may not be removed is not mistaken for gone', async () => {
  const posted = await publish(buildItem('Stays'));
  const refused = { ...session, request: hidingRemovals(session) };
  expect(await remove(refused, posted)).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  expect(world.network.posts.find(posted.externalId)).not.toBeNull();
});

/** The error of Threads without the permission to delete: the same as for a missing object. */
const hidingRemovals =
  (open: Session): Session['request'] =>
  (request) =>
    open.request(request.method === 'DELETE' ? { ...request, path: '/v1.0/nothing' } : request);
