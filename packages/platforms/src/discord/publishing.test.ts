import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem } from '@switchboard/domain/ports';
import { KILN_CHANNEL, KILN_DISCORD_BOT } from '@switchboard/simulators';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { publishing } from './publishing.js';
import { startWorld, type DiscordWorld } from './testing/world.js';

let bot: DiscordWorld;
let webhook: DiscordWorld;
beforeAll(async () => {
  bot = await startWorld();
  webhook = await startWorld('webhook');
});
afterAll(async () => {
  await bot.close();
  await webhook.close();
});

const send = (world: DiscordWorld, item: PublishItem) =>
  publishing.publish(testSession(world), item, discardReceipt);
async function publish(world: DiscordWorld, item: PublishItem) {
  const sent = await send(world, item);
  if (!sent.ok) throw new Error(JSON.stringify(sent.failure));
  return sent.value;
}
const messageOf = (world: DiscordWorld, id: string) => world.network.messages.find(KILN_CHANNEL.id, id);
const both = () => [bot, webhook];

test('a bot that may not read the history never reports a message as absent that may exist', async () => {
  const world = await startWorld();
  try {
    const item = buildItem('Written blindly');
    expect(await publishing.find?.(testSession(world), item)).toEqual({ ok: true, value: null });
    world.network.allow(KILN_DISCORD_BOT, KILN_CHANNEL, 'writes');
    const { externalId } = await publish(world, item);
    expect(await publishing.find?.(testSession(world), item)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
    const parent = { externalId, url: null, receipt: {} };
    const below = buildItem('Below', { kind: 'thread', replyTo: { root: parent, parent } });
    expect(await send(world, below)).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  } finally {
    await world.close();
  }
});

test('a text notifies no one unless requested', async () => {
  for (const world of both()) {
    const calls = async (options: PublishItem['options']) => {
      const { externalId } = await publish(
        world,
        buildItem('Hello @everyone and <@53908099506183680>', { options }),
      );
      return messageOf(world, externalId)?.calls;
    };
    expect(await calls({})).toEqual([]);
    expect(await calls({ mentions: 'named' })).toEqual(['users', 'roles']);
    expect(await calls({ mentions: 'everyone' })).toEqual(['users', 'roles', 'everyone']);
    expect(await calls({ mentions: 'unknown' })).toEqual([]);
  }
});

test('the chosen options are sent with text and with files alike', async () => {
  for (const world of both()) {
    const options = { silent: true, hide_link_previews: true };
    for (const media of [[], [imageOf(), videoOf()]]) {
      const { externalId } = await publish(world, buildItem('Hush', { media, options }));
      expect(messageOf(world, externalId)).toMatchObject({ flags: 4 + 4_096, content: 'Hush', calls: [] });
    }
  }
});

describe('a title', () => {
  const link = 'https://example.com/spring';
  test('is in a card that opens the link, by bot and by webhook', async () => {
    for (const world of both()) {
      const { externalId } = await publish(
        world,
        buildItem('Spring is here', { title: 'The spring list', link }),
      );
      expect(messageOf(world, externalId)).toMatchObject({
        content: 'Spring is here',
        embeds: [{ title: 'The spring list', url: link }],
      });
    }
  });

  test('distinguishes posts with the same text', async () => {
    const [one, other] = ['One', 'Other'].map((title) => buildItem('Twice', { title, link }));
    const { externalId } = await publish(bot, one as PublishItem);
    const find = (item: PublishItem) => publishing.find?.(testSession(bot), item);
    expect(await find(one as PublishItem)).toMatchObject({ ok: true, value: { externalId } });
    expect(await find(other as PublishItem)).toEqual({ ok: true, value: null });
    const elsewhere = buildItem('Twice', { title: 'One', link: `${link}/2` });
    expect(await find(elsewhere)).toEqual({ ok: true, value: null });
  });

  test('that the bot may not embed leaves the outcome unknown, and sends no second message', async () => {
    const world = await startWorld();
    try {
      world.network.allow(KILN_DISCORD_BOT, KILN_CHANNEL, 'plain');
      const item = buildItem('Bare', { title: 'Unseen', link });
      await publish(world, item);
      expect(await publishing.find?.(testSession(world), item)).toMatchObject({
        failure: { code: 'platform.outcome_unknown' },
      });
    } finally {
      await world.close();
    }
  });

  test('is not hidden with the link previews', () => {
    const options = { hide_link_previews: true };
    expect(publishing.check?.(buildItem('Hidden', { title: 'Unseen', options }))).toMatchObject([
      { path: 'options.hide_link_previews', code: 'option.invalid' },
    ]);
    expect(publishing.check?.(buildItem('Hidden', { options }))).toEqual([]);
  });
});

test('the URL of a message contains its server and its channel', async () => {
  const { externalId, url } = await publish(bot, buildItem('Where'));
  expect(url).toBe(`https://discord.com/channels/${KILN_CHANNEL.guildId}/${KILN_CHANNEL.id}/${externalId}`);
});

describe('a bot', () => {
  beforeEach(() => bot.repair());

  test('that repeats an accepted request creates no second message and gets the first', async () => {
    for (const media of [[], [imageOf()]]) {
      const item = buildItem('Once', { media });
      bot.break('reset-after-effect');
      expect(await send(bot, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      const effects = bot.effects();
      const again = await publish(bot, item);
      expect(bot.effects()).toBe(effects);
      expect(messageOf(bot, again.externalId)?.content).toBe('Once');
    }
  });

  test('that repeats a request whose message has been deleted is refused, and posts nothing', async () => {
    const item = buildItem('Deleted at once');
    const { externalId } = await publish(bot, item);
    bot.network.messages.remove(externalId);
    const effects = bot.effects();
    expect(await send(bot, item)).toMatchObject({ failure: { code: 'platform.refused' } });
    expect(bot.effects()).toBe(effects);
  });

  test('distinguishes two posts with the same text', async () => {
    const [one, other] = [buildItem('Alike'), buildItem('Alike')];
    const [first, second] = [await publish(bot, one), await publish(bot, other)];
    expect(first.externalId).not.toBe(second.externalId);
    expect(await publishing.find?.(testSession(bot), one)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('does not mistake files without text for those of another post', async () => {
    const media = [imageOf()];
    const createdAt = new Date('2026-11-21T14:00:00.000Z');
    const item = { ...buildItem('', { mediaCount: 1 }), createdAt };
    expect(await publishing.find?.(testSession(bot), item)).toEqual({ ok: true, value: null });
    await publish(bot, buildItem('', { media }));
    expect(await publishing.find?.(testSession(bot), buildItem('', { mediaCount: 1 }))).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('does not mistake another author’s message for its own, however similar, and searches pages of them', async () => {
    const item = buildItem('Mine');
    const author = { id: '53908099506183680', name: 'mason', isWebhook: false };
    const theirs = {
      channelId: KILN_CHANNEL.id,
      author,
      content: 'Mine',
      embeds: [],
      attachments: [],
      replyTo: null,
    };
    const say = () => bot.network.messages.send({ ...theirs, flags: 0, calls: [], nonce: null });
    for (let stated = 0; stated < 130; stated++) say();
    expect(await publishing.find?.(testSession(bot), item)).toEqual({ ok: true, value: null });
    const mine = await publish(bot, item);
    say();
    expect(await publishing.find?.(testSession(bot), item)).toEqual({ ok: true, value: mine });
    for (let stated = 0; stated < 400; stated++) say();
    expect(await publishing.find?.(testSession(bot), item)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('that may read but not write is reported as such', async () => {
    bot.network.allow(KILN_DISCORD_BOT, KILN_CHANNEL, 'sees');
    expect(await send(bot, buildItem('No'))).toMatchObject({
      failure: { code: 'platform.permission_missing' },
    });
    bot.network.allow(KILN_DISCORD_BOT, KILN_CHANNEL, 'posts');
  });
});

describe('a webhook', () => {
  test('rejects a reply before anything is sent', async () => {
    const parent = await publish(webhook, buildItem('First'));
    const requests = webhook.requests();
    const answers = { root: parent, parent };
    for (const kind of ['thread', 'comment'] as const) {
      expect(await send(webhook, buildItem('Below', { kind, replyTo: answers }))).toMatchObject({
        failure: { code: 'platform.refused' },
      });
    }
    expect(webhook.requests()).toBe(requests);
  });

  test('reports what cannot be looked up for a manual check', async () => {
    expect(await publishing.find?.(testSession(webhook), buildItem('Lost'))).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('sends no field that a webhook does not support: no nonce and no reply', async () => {
    await publish(webhook, buildItem('Plain'));
    const sent = webhook.exchanges().at(-1)?.sent;
    expect(sent).toEqual({ content: 'Plain', allowed_mentions: { parse: [] } });
  });
});
