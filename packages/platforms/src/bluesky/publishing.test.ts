import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublishedPart, PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { publishing, type Facet } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

async function publish(item: PublishItem) {
  const result = await publishing.publish(session, item, discardReceipt);
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

/** The stored record, and the text that each facet covers, cut from the bytes. */
async function publishAndRead(item: PublishItem) {
  const record = world.recordOf((await publish(item)).externalId) as { text: string; facets?: Facet[] };
  const bytes = Buffer.from(record.text);
  const pieces = (record.facets ?? []).map(({ index, features: [feature] }) => [
    feature.$type.replace('app.bsky.richtext.facet#', ''),
    bytes.subarray(index.byteStart, index.byteEnd).toString(),
    feature['uri'] ?? feature['did'] ?? feature['tag'],
  ]);
  return { record, pieces };
}

test('links, mentions and tags are facets with offsets in bytes', async () => {
  const { pieces } = await publishAndRead(
    buildItem('🦋 héllo @alice.test, 漢字 https://example.com/ä (#no) #yes 👨‍👩‍👧‍👦', {
      link: 'https://example.org/b',
      media: [imageOf()],
    }),
  );
  expect(pieces).toEqual([
    ['mention', '@alice.test', 'did:plc:alice'],
    ['link', 'https://example.com/ä', 'https://example.com/ä'],
    ['tag', '#yes', 'yes'],
    ['link', 'https://example.org/b', 'https://example.org/b'],
  ]);
});

test('a mention that does not resolve stays text, and a post without facets has none', async () => {
  const { record, pieces } = await publishAndRead(buildItem('Hi @nobody.test'));
  expect(pieces).toEqual([]);
  expect(record).not.toHaveProperty('facets');
});

test('nothing is written while handles cannot be resolved', async () => {
  const before = world.effects();
  world.break('500-before');
  const result = await publishing.publish(session, buildItem('Hi @alice.test'), discardReceipt);
  expect(result).toMatchObject({ ok: false, failure: { code: 'platform.unavailable' } });
  expect(world.effects()).toBe(before);
});

test('a handle is resolved once, however often it is mentioned', async () => {
  const before = world.requests();
  const { pieces } = await publishAndRead(buildItem('@alice.test @ALICE.test @alice.test'));
  expect(pieces).toHaveLength(3);
  expect(world.requests()).toBe(before + 2);
});

test('a post has the requested time and languages', async () => {
  const createdAt = new Date('2026-12-01T08:00:00.000Z');
  const { record } = await publishAndRead(
    buildItem('Bon dia', { createdAt, options: { langs: ['ca', 'en-GB'] } }),
  );
  expect(record).toEqual({
    $type: 'app.bsky.feed.post',
    text: 'Bon dia',
    createdAt: '2026-12-01T08:00:00.000Z',
    langs: ['ca', 'en-GB'],
  });
});

describe('a second attempt at the same part', () => {
  test('is the same post', async () => {
    const item = buildItem('Once');
    const before = world.effects();
    const first = await publish(item);
    expect(await publish(item)).toEqual(first);
    expect(world.effects()).toBe(before + 1);
  });

  test('is the same post if a mention resolves differently, and changes nothing', async () => {
    world.handles.set('late.test', 'did:plc:one');
    const item = buildItem('Hi @late.test');
    const first = await publish(item);
    const original = world.recordOf(first.externalId);
    world.handles.set('late.test', 'did:plc:two');
    const before = world.effects();
    expect(await publish(item)).toEqual(first);
    expect(world.effects()).toBe(before);
    expect(world.recordOf(first.externalId)).toEqual(original);
  });
});

test('a post of another time at the same key is not claimed', async () => {
  const item = buildItem('Mine');
  const { externalId } = await publish(item);
  Object.assign(world.recordOf(externalId) ?? {}, { createdAt: '2020-01-01T00:00:00.000Z' });
  expect(await publishing.find?.(session, item)).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
});

test('a post returns its public URL and its content ID', async () => {
  const posted = await publish(buildItem('Where'));
  const [did, rkey] = [world.account.id, posted.externalId.split('/').at(-1)];
  expect(posted).toEqual({
    externalId: `at://${did}/app.bsky.feed.post/${rkey}`,
    url: `https://bsky.app/profile/${did}/post/${rkey}`,
    receipt: { uri: posted.externalId, cid: expect.stringMatching(/^bafy/) },
  });
});

describe('a follow-up part', () => {
  test('replies to the part before it and names the root, by URI and content ID', async () => {
    const createdAt = (part: number) => ({ createdAt: new Date(Date.UTC(2026, 11, 1, 8, 0, 0, part)) });
    const root = await publish(buildItem('1/3', createdAt(0)));
    const second = await publish(
      buildItem('2/3', { ...createdAt(1), kind: 'thread', replyTo: { root, parent: root } }),
    );
    const third = await publish(
      buildItem('3/3', { ...createdAt(2), kind: 'thread', replyTo: { root, parent: second } }),
    );
    const ref = ({ externalId: uri, receipt }: PublishedPart) => ({ uri, cid: receipt['cid'] });
    expect(world.recordOf(root.externalId)).not.toHaveProperty('reply');
    expect(world.recordOf(second.externalId)).toMatchObject({
      reply: { root: ref(root), parent: ref(root) },
      createdAt: '2026-12-01T08:00:00.001Z',
    });
    expect(world.recordOf(third.externalId)).toMatchObject({
      reply: { root: ref(root), parent: ref(second) },
    });
  });

  test('is found by its own key, separately from the other parts of the same post', async () => {
    const reference = 'dlv_thread';
    const part = (index: number) =>
      buildItem(`Part ${index}`, {
        reference: `${reference}.${index}`,
        createdAt: new Date(Date.UTC(2026, 11, 2, 8, 0, 0, index)),
      });
    const root = await publish(part(0));
    const response = { ...part(1), kind: 'thread', answers: { root, parent: root } } as const;
    expect(await publishing.find?.(session, response)).toEqual({ ok: true, value: null });
    const second = await publish(response);
    expect(await publishing.find?.(session, response)).toEqual({ ok: true, value: second });
    expect(await publishing.find?.(session, part(0))).toEqual({ ok: true, value: root });
  });
});
