import { expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { refuse } from '../failure.js';
import type { PlatformFailureCode, PublishedPart } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { deliver } from './deliver.js';
import { resolvePublishedUrls } from './resolve-published-urls.js';
import type { DeliveryPart } from './delivery.js';
import { unpublishPost } from './unpublish-post.js';

const never = new AbortController().signal;
const MINUTE_MS = 60_000;

/** A published post on a platform that assigns its URL later, and the platform's responses. */
async function scene(parts: readonly Partial<DeliveryPart>[] = [{}]) {
  const asked: string[] = [];
  const response = new Map<string, Result<PublishedPart | null, PlatformFailureCode>>();
  const switches: { meanwhile: (() => Promise<unknown>) | null } = { meanwhile: null };
  const social = memorySocial({
    async resolvePublishedUrl(_session, { externalId }) {
      asked.push(externalId);
      await switches.meanwhile?.();
      return response.get(externalId) ?? ok(null);
    },
  });
  const it = await createTestEnvironment([social]);
  const connection = await it.connect();
  const post = it.build.post(
    it.profile,
    [connection],
    {},
    { parts: parts.map((part, index) => it.build.part({ index, ...part })) },
  );
  await it.repositories.posts.insert(post);
  const [target] = post.deliveries;
  if (!target) throw new Error('a post without a delivery');
  await deliver(it.ports, { workspaceId: it.workspace.id, deliveryId: target.id }, never);
  const read = async () => {
    const now = await it.repositories.posts.find(it.workspace.id, post.id);
    const [delivery] = now?.deliveries ?? [];
    if (!now || !delivery) throw new Error('the post is gone');
    return { ...delivery, version: now.version };
  };
  const ids = target.parts.map(({ index }) => `remote ${target.id}.${index}`);
  const place = (id: string, receipt = {}) =>
    response.set(id, ok({ externalId: `public ${id}`, url: `https://social.example/${id}`, receipt }));
  return {
    ...it,
    social,
    post,
    connection,
    asked,
    response,
    switches,
    read,
    ids,
    place,
    locate: () => resolvePublishedUrls(it.ports, never),
    history: async () =>
      (await it.repositories.deliveries.listHistory(it.workspace.id, post.id)).map(
        ({ kind, outcome }) => `${kind} ${outcome}`,
      ),
  };
}

test('a URL that the platform reports a minute later is stored where it belongs, with a change event', async () => {
  const it = await scene();
  const [id = ''] = it.ids;
  const before = await it.read();
  expect(before).toMatchObject({ status: 'published', externalId: id, url: null });
  await it.locate();
  expect(it.asked).toEqual([]);

  it.clock.advance(MINUTE_MS);
  it.place(id, { cid: 'c' });
  await it.locate();
  const where = { externalId: `public ${id}`, url: `https://social.example/${id}` };
  const after = await it.read();
  expect(after).toMatchObject({
    ...where,
    status: 'published',
    publishedAt: before.publishedAt,
    resolveUrlAt: null,
    parts: [{ ...where, status: 'published', receipt: { cid: 'c' } }],
  });
  expect(after.version).toBe(before.version + 1);
  expect((await it.history()).slice(-1)).toEqual(['state located']);

  it.clock.advance(24 * 60 * MINUTE_MS);
  await it.locate();
  expect(it.asked).toEqual([id]);
});

test('a platform is queried soon and then rarely, and for no longer than a day', async () => {
  const it = await scene();
  const before = await it.read();
  const looks: number[] = [];
  for (let minute = 1; minute <= 3 * 24 * 60; minute++) {
    it.clock.advance(MINUTE_MS);
    await it.locate();
    if (it.asked.length > looks.length) looks.push(minute);
  }
  expect(looks).toHaveLength(8);
  for (const [at, minutes] of [1, 5, 15, 60, 180, 360, 720, 1440].entries()) {
    // This clock advances with every check.
    expect(Math.abs((looks[at] ?? 0) - minutes)).toBeLessThanOrEqual(1);
  }
  expect(await it.read()).toEqual({ ...before, resolveUrlAt: null });
  expect(await it.history()).not.toContain('state located');
});

test.each<readonly [string, Result<PublishedPart | null, PlatformFailureCode>]>([
  ['does not respond', refuse('platform.unavailable', 'Later.')],
  ['refuses', refuse('platform.refused', 'No.')],
  ['returns no URL yet', ok({ externalId: 'public', url: null, receipt: {} })],
])('a platform that %s is queried again, and nothing changes until then', async (_, response) => {
  const it = await scene();
  const [id = ''] = it.ids;
  const before = await it.read();
  it.response.set(id, response);
  it.clock.advance(MINUTE_MS);
  await it.locate();
  expect(await it.read()).toMatchObject({ ...before, resolveUrlAt: expect.any(Date) });

  it.place(id);
  it.clock.advance(4 * MINUTE_MS);
  await it.locate();
  expect(it.asked).toHaveLength(2);
  expect(await it.read()).toMatchObject({ url: `https://social.example/${id}` });
});

test('the parts of a thread are resolved one by one, and a resolved part is not queried again', async () => {
  const it = await scene([{}, { kind: 'thread' }]);
  const [first = '', second = ''] = it.ids;
  it.place(second);
  it.clock.advance(MINUTE_MS);
  await it.locate();
  expect(await it.read()).toMatchObject({
    url: null,
    externalId: first,
    parts: [{ url: null }, { externalId: `public ${second}` }],
  });
  it.place(first);
  it.clock.advance(4 * MINUTE_MS);
  await it.locate();
  expect(it.asked).toEqual([first, second, first]);
  expect(await it.read()).toMatchObject({ externalId: `public ${first}`, resolveUrlAt: null });
});

test('an expired, deleted or unreachable account is not queried', async () => {
  const it = await scene();
  const lost = { ...it.connection, status: 'needs_reauth' as const };
  it.clock.advance(MINUTE_MS);
  await resolvePublishedUrls(
    { ...it.ports, connections: { ...it.ports.connections, find: async () => lost } },
    never,
  );
  it.clock.advance(4 * MINUTE_MS);
  await resolvePublishedUrls(
    { ...it.ports, connections: { ...it.ports.connections, find: async () => null } },
    never,
  );
  expect(it.asked).toEqual([]);
  it.clock.advance(10 * MINUTE_MS);
  it.doors.sessionResult = refuse('platform.unavailable', 'Not available.');
  await it.locate();
  expect(it.asked).toEqual([]);
});

test('a post unpublished before its URL is resolved is deleted by its internal id, and stays deleted', async () => {
  const it = await scene();
  const [id = ''] = it.ids;
  it.place(id);
  it.clock.advance(MINUTE_MS);
  it.switches.meanwhile = () => unpublishPost(it.ports, it.call(), { id: it.post.id });
  await it.locate();
  expect(it.social.removed).toEqual([id]);
  expect(await it.read()).toMatchObject({ status: 'deleted', externalId: id, url: null });
  it.switches.meanwhile = null;
  it.clock.advance(MINUTE_MS * 1440);
  await it.locate();
  expect(it.asked).toEqual([id]);
});

test('a post unpublished after its URL is resolved is deleted by its public id', async () => {
  const it = await scene();
  const [id = ''] = it.ids;
  it.place(id);
  it.clock.advance(MINUTE_MS);
  await it.locate();
  await unpublishPost(it.ports, it.call(), { id: it.post.id });
  expect(it.social.removed).toEqual([`public ${id}`]);
});

test('a platform that always returns the URL at once is never queried', async () => {
  const social = memorySocial();
  const it = await createTestEnvironment([social]);
  const post = it.build.post(it.profile, [await it.connect()]);
  await it.repositories.posts.insert(post);
  const [delivery] = post.deliveries;
  if (!delivery) throw new Error('a post without a delivery');
  await deliver(it.ports, { workspaceId: it.workspace.id, deliveryId: delivery.id }, never);
  expect(await it.repositories.deliveries.find(it.workspace.id, delivery.id)).toMatchObject({
    status: 'published',
    resolveUrlAt: null,
  });
});
