import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { findPost } from './find-post.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

/** One attempt at a part, and its receipt. */
async function attempt(item: PublishItem) {
  let receipt: PublishItem['receipt'] = {};
  const result = await publishing.publish(session, item, async (stored) => void (receipt = stored));
  return { result, item: { ...item, receipt, media: [] } };
}

test.each(['New at example.com/news today', 'New at Example.com/', 'At http://example.com'])(
  '%j is found, though X rewrites its links',
  async (text) => {
    const { result, item } = await attempt(buildItem(text));
    const found = await findPost(session, item);
    expect(found.ok && found.value?.id).toBe(result.ok && result.value.externalId);
  },
);

test('images without text are identified by the stored uploads', async () => {
  const mine = await attempt(buildItem('', { media: [imageOf()] }));
  const other = await attempt(buildItem('', { media: [imageOf()] }));
  for (const { result, item } of [mine, other]) {
    const found = await findPost(session, item);
    expect(found.ok && found.value?.id).toBe(result.ok && result.value.externalId);
  }
});

test('images without text require a manual check if others without text exist', async () => {
  await attempt(buildItem('', { media: [imageOf()] }));
  const lost = buildItem('', { mediaCount: 1, receipt: { media_0: '1880028106020599999' } });
  expect(await findPost(session, lost)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test.each(['credits', 'cap'] as const)(
  'without %s a post waits for the operator, and has not failed',
  async (what) => {
    world.network.spends(what);
    const { result } = await attempt(buildItem('Not paid for'));
    world.network.spends(null);
    expect(result).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 3_600 } });
  },
);

test('conversation settings are sent with its first post, content labels with every part', async () => {
  const options = {
    reply_settings: 'following',
    community_id: '1146654567674912769',
    share_with_followers: true,
    made_with_ai: true,
  };
  const { result: first } = await attempt(buildItem('One', { options }));
  if (!first.ok) throw new Error(first.failure.message);
  const answers = { root: first.value, parent: first.value };
  const { result: second } = await attempt(buildItem('Two', { options, replyTo: answers }));
  if (!second.ok) throw new Error(second.failure.message);
  expect([first, second].map(({ value }) => world.network.posts.find(value.externalId))).toMatchObject([
    {
      replySettings: 'following',
      madeWithAi: true,
      quotedId: null,
      communityId: options.community_id,
      sharedWithFollowers: true,
    },
    {
      replySettings: '',
      madeWithAi: true,
      quotedId: null,
      communityId: null,
      sharedWithFollowers: false,
    },
  ]);
});

test('finding 26: a quote is rejected before anything is sent, since X removed quotes from its self-serve API', async () => {
  const before = world.requests();
  const { result, item } = await attempt(
    buildItem('A quote', { options: { quote_tweet_id: '1991734018223344551' } }),
  );
  expect(result).toMatchObject({
    failure: { code: 'platform.refused', message: expect.stringContaining('removed quote posts') },
  });
  expect(await findPost(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(world.requests()).toBe(before);
});

test.each(['posts', 'posts_only'] as const)(
  'finding 24: thread parts and long posts are found when X uses its new names (%s)',
  async (names) => {
    const long = await startWorld({ subscription: 'Premium' });
    try {
      const reader = testSession(long);
      const send = async (item: PublishItem) => {
        const created = await publishing.publish(reader, item, discardReceipt);
        if (!created.ok) throw new Error(created.failure.message);
        return created.value;
      };
      const first = buildItem('The same words');
      const root = await send(first);
      const second = buildItem('The same words', { kind: 'thread', replyTo: { root, parent: root } });
      const reply = await send(second);
      const whole = buildItem(`${'Long & '.repeat(200)}https://example.com/end`);
      const longPost = await send(whole);
      long.network.names(names);
      for (const [item, part] of [
        [first, root],
        [second, reply],
        [whole, longPost],
      ] as const) {
        expect(await findPost(reader, item)).toMatchObject({ value: { id: part.externalId } });
      }
    } finally {
      await long.close();
    }
  },
);

test('finding 24: if neither name is present, the outcome is unknown and nothing is sent again', async () => {
  const long = await startWorld({ subscription: 'Premium' });
  try {
    const reader = testSession(long);
    const first = buildItem('Nameless');
    const root = await publishing.publish(reader, first, discardReceipt);
    const whole = buildItem('Long & '.repeat(200));
    await publishing.publish(reader, whole, discardReceipt);
    long.network.names('neither');
    const reply = root.ok ? { root: root.value, parent: root.value } : null;
    for (const item of [first, buildItem('Nameless', { replyTo: reply }), whole]) {
      expect(await findPost(reader, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    }
    expect(await findPost(reader, buildItem('Something else'))).toEqual({ ok: true, value: null });
  } finally {
    await long.close();
  }
});

test('a post with an image is found by its upload, though X returns its text differently', async () => {
  const { result, item } = await attempt(buildItem('As it was sent', { media: [imageOf()] }));
  const found = await findPost(session, { ...item, text: 'As X never shows it' });
  expect(found.ok && found.value?.id).toBe(result.ok && result.value.externalId);
});

test('the same text with another image is not ours, and requires a manual check', async () => {
  await attempt(buildItem('Twice', { media: [imageOf()] }));
  const other = buildItem('Twice', { mediaCount: 1, receipt: { media_0: '1880028106020599999' } });
  expect(await findPost(session, other)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('a post with an incomplete upload was not published, even when a similar post is listed', async () => {
  await attempt(buildItem('Half', { media: [imageOf()] }));
  expect(await findPost(session, buildItem('Half', { mediaCount: 1 }))).toEqual({ ok: true, value: null });
});

test('a video with alternative text is published without it', async () => {
  const { result } = await attempt(buildItem('Video', { media: [videoOf({ altText: 'Waves' })] }));
  expect(result.ok && world.network.posts.find(result.value.externalId)?.media).toMatchObject([
    { altText: null },
  ]);
});

test('a post that X does not delete is not reported as deleted', async () => {
  const { result } = await attempt(buildItem('To be kept'));
  if (!result.ok) throw new Error(result.failure.message);
  world.network.keepsPosts(true);
  const removed = await publishing.remove?.(session, result.value);
  world.network.keepsPosts(false);
  expect(removed).toMatchObject({ failure: { code: 'platform.refused' } });
});

test('a part that X treats as an uninvited reply is refused with a message about the preceding post', async () => {
  const { result: first } = await attempt(buildItem('Where it begins'));
  if (!first.ok) throw new Error(first.failure.message);
  world.network.setRepliesRequireMention(true);
  const { result } = await attempt(
    buildItem('And goes on', { replyTo: { root: first.value, parent: first.value } }),
  );
  world.network.setRepliesRequireMention(false);
  expect(result).toMatchObject({
    failure: {
      code: 'platform.refused',
      message: expect.stringContaining('The preceding post was published.'),
      platform: { code: 'Forbidden' },
    },
  });
});
