import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PlatformResponse, PublishItem } from '@switchboard/domain/ports';
import { KILN_BOT, KILN_NEWS, type TelegramChat } from '@switchboard/simulators';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { documentOf, imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { publishing } from './publishing.js';
import { rules } from './rules.js';
import { buildSendCall } from './send-call.js';
import { startWorld } from './testing/world.js';
import { errorMapping, movedTo } from './wire.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

const sessionOf = (chatId = String(KILN_NEWS.id)) =>
  testSession({ ...world, account: { ...world.account, id: chatId } });
async function publish(item: PublishItem, chatId?: string) {
  const sent = await publishing.publish(sessionOf(chatId), item, discardReceipt);
  if (!sent.ok) throw new Error(JSON.stringify(sent.failure));
  return sent.value;
}
const messageOf = (id: string, chat = KILN_NEWS) => world.network.messages.find(chat.id, Number(id));

function supergroup(more: Partial<TelegramChat> = {}): TelegramChat {
  const chat = {
    ...KILN_NEWS,
    id: -1_009_999,
    type: 'supergroup',
    username: null,
    membersMayWrite: true,
    ...more,
  };
  world.network.addChat(chat as TelegramChat);
  world.network.join(KILN_BOT, chat as TelegramChat, { status: 'member' });
  return chat as TelegramChat;
}

test('text is sent unchanged: nothing in it is markup', async () => {
  const text = '*Bold* _it_ <b>x</b> [a](https://example.com) `c` & ~s~';
  const { externalId } = await publish(buildItem(text));
  expect(messageOf(externalId)?.text).toBe(text);
  expect(world.calls().at(-1)?.sent).not.toHaveProperty('parse_mode');
});

test('the chosen options are sent with text and with media alike', async () => {
  const options = { silent: true, protect_content: true };
  for (const media of [[], [imageOf()], [imageOf(), videoOf()]]) {
    const { externalId } = await publish(buildItem('Hush', { media, options }));
    expect(messageOf(externalId)).toMatchObject({ silent: true, isProtected: true, text: 'Hush' });
  }
});

test.each([
  ['none', { is_disabled: true }],
  ['small', { prefer_small_media: true }],
  ['large', { prefer_large_media: true }],
])('a preview may be %s', async (link_preview, preview) => {
  const { externalId } = await publish(buildItem('See https://example.com/', { options: { link_preview } }));
  expect(messageOf(externalId)?.preview).toEqual(preview);
});

test('the text of an album is the caption of its first medium, and all of it replies to the same message', async () => {
  const parent = await publish(buildItem('First'));
  const answers = { root: parent, parent };
  const album = await publish(
    buildItem('Three', { media: [imageOf(), videoOf(), imageOf()], replyTo: answers }),
  );
  const ids = album.receipt['messages']?.split(',') ?? [];
  expect(ids).toHaveLength(3);
  expect(ids.map((id) => messageOf(id)?.text)).toEqual(['Three', '', '']);
  expect(ids.map((id) => messageOf(id)?.replyTo)).toEqual(ids.map(() => Number(parent.externalId)));
  expect(await publishing.remove?.(sessionOf(), album)).toMatchObject({ ok: true });
  expect(ids.map((id) => messageOf(id))).toEqual([null, null, null]);
});

test('a document is named after its title, which cannot break out of the file name', async () => {
  const { externalId } = await publish(buildItem('', { media: [documentOf({ altText: 'Q3: a/b "c"\n' })] }));
  expect(messageOf(externalId)?.medium?.fileName).toBe('Q3  a b  c.pdf');
  const plain = documentOf();
  const { externalId: other } = await publish(buildItem('', { media: [plain] }));
  expect(messageOf(other)?.medium?.fileName).toBe(plain.fileName);
});

test('a post in a private chat has no URL', async () => {
  const { url, receipt } = await publish(buildItem('Among us'), String(supergroup().id));
  expect(url).toBeNull();
  expect(receipt['chat']).toBe('-1009999');
});

test('in a group that has become a supergroup it is posted once, there, and deleted from there', async () => {
  const there = supergroup({ id: -1_008_888 });
  world.network.addChat({ ...there, id: -88, type: 'group', migratedTo: there.id });
  const before = world.effects();
  const media = [imageOf(), imageOf()];
  const sent = await publish(buildItem('Moved', { media }), '-88');
  expect(world.effects()).toBe(before + 1);
  expect(messageOf(sent.externalId, there)?.text).toBe('Moved');
  expect(await publishing.remove?.(sessionOf('-88'), sent)).toMatchObject({ ok: true });
  expect(world.network.messages.of(there.id)).toEqual([]);
});

test('a response that is lost after a group has moved is an unknown outcome, and nothing is posted twice', async () => {
  const there = supergroup({ id: -1_007_777 });
  world.network.addChat({ ...there, id: -77, type: 'group', migratedTo: there.id });
  world.break('reset-after-effect', 1);
  const sent = await publishing.publish(sessionOf('-77'), buildItem('Lost'), discardReceipt);
  expect(sent).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(world.network.messages.of(there.id)).toHaveLength(1);
});

test('an album that is partly published is an unknown outcome, and not refused', async () => {
  const there = supergroup({ id: -1_006_666 });
  world.network.breakAlbumAt(2);
  const item = buildItem('Seven', { media: [imageOf(), imageOf(), videoOf()] });
  expect(await publishing.publish(sessionOf(String(there.id)), item, discardReceipt)).toMatchObject({
    failure: { code: 'platform.outcome_unknown', platform: { message: expect.stringContaining('#3') } },
  });
  expect(world.network.messages.of(there.id)).toHaveLength(2);
});

describe('an accepted message is a post only if every message of it is sent:', () => {
  type Sent = readonly { readonly message_id: number }[];
  /** Telegram's response, changed in transit. */
  const answering = (change: (sent: Sent) => unknown) => {
    const open = sessionOf();
    return {
      ...open,
      request: async (request: Parameters<typeof open.request>[0]) => {
        const outcome = await open.request(request);
        const { ok, result } = (outcome.ok ? outcome.value.json : {}) as { ok?: boolean; result?: unknown };
        if (!outcome.ok || !ok) return outcome;
        const changed = change((Array.isArray(result) ? result : [result]) as Sent);
        return { ...outcome, value: { ...outcome.value, json: { ok, result: changed } } };
      },
    };
  };
  const scheduled = ([first, ...others]: Sent) => [{ ...first, message_id: 0 }, ...others];

  test.each<[string, PublishItem, (sent: Sent) => unknown, string]>([
    [
      'a video that it sends later',
      buildItem('Big chat', { media: [videoOf()] }),
      (sent) => scheduled(sent)[0],
      'sends it later',
    ],
    [
      'an album of which one is sent later',
      buildItem('Two', { media: [imageOf(), imageOf()] }),
      scheduled,
      'sends it later',
    ],
    [
      'an album of which one is missing',
      buildItem('Three', { media: [imageOf(), imageOf(), imageOf()] }),
      (sent) => sent.slice(1),
      '2 of 3 messages',
    ],
  ])('%s is an unknown outcome', async (_, item, change, message) => {
    expect(await publishing.publish(answering(change), item, discardReceipt)).toMatchObject({
      failure: { code: 'platform.outcome_unknown', message: expect.stringContaining(message) },
    });
  });
});

test('a refusal is a refusal, regardless of its other fields', () => {
  const json = {
    ok: false,
    error_code: 400,
    description: 'Bad Request: no',
    parameters: { retry_after: 'x', migrate_to_chat_id: 'y' },
  };
  expect(errorMapping.parseError({ json } as PlatformResponse)).toEqual({
    code: '400',
    message: 'Bad Request: no',
  });
  expect(movedTo(json)).toBeNull();
});

test('a comment causes no second notification', async () => {
  const parent = await publish(buildItem('First'));
  const item = buildItem('Comment', { kind: 'comment', replyTo: { root: parent, parent } });
  expect(messageOf((await publish(item)).externalId)).toMatchObject({ silent: true });
});

test.each([1, 10])('an upload of %i videos takes no longer than an attempt may', (videos) => {
  const video = { ...videoOf(), bytes: 50_000_000 };
  const item = buildItem('Long', { media: Array.from({ length: videos }, () => video) });
  expect(buildSendCall(item, '-1').sent.deadlineSeconds).toBeLessThanOrEqual(500);
});

test('a post is never reported as found', () => expect(publishing.find).toBeUndefined());

test.each([
  ['a'.repeat(1_024), null, 1, []],
  ['🐈'.repeat(1_024), null, 1, []],
  ['a'.repeat(1_025), null, 1, ['text.too_long']],
  ['a'.repeat(1_000), 'https://example.com/a/long/way', 2, ['text.too_long']],
  ['a'.repeat(4_096), null, 0, []],
])('with media a text is a caption: %#', (text, link, mediaCount, codes) => {
  expect(rules.check(buildItem(text, { link, mediaCount })).map(({ code }) => code)).toEqual(codes);
});

test('a caption that is too long is refused by Telegram too', async () => {
  const item = buildItem('a'.repeat(1_025), { media: [imageOf()] });
  expect(await publishing.publish(sessionOf(), item, discardReceipt)).toMatchObject({
    failure: { code: 'platform.refused' },
  });
});
