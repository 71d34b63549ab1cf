import {
  KILN_BOT,
  KILN_NEWS,
  telegramNetwork,
  type BotApiCall,
  type TelegramBot,
} from '@switchboard/simulators';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

/** A bot that is in no chat. */
const OTHER_BOT: TelegramBot = {
  token: '7:AAnobody',
  id: 7,
  username: 'nobody_bot',
  name: 'Nobody',
};

/** The Bot API as documented, with one channel. */
export async function startWorld() {
  const network = telegramNetwork({ now: tickingClock() });
  const messageOf = (id: string) => network.messages.find(KILN_NEWS.id, Number(id));

  const world = await startSimulator({
    account: {
      id: String(KILN_NEWS.id),
      username: 'kilnnews',
      name: 'Kiln News',
      avatarUrl: null,
      url: 'https://t.me/kilnnews',
    },
    simulator: network,
    owner: KILN_BOT,
    weakOwner: OTHER_BOT,
    effects: () => network.messages.createdCount(),
    textOf: (id) => messageOf(id)?.text ?? '',
    parentOf: (id) => messageOf(id)?.replyTo?.toString() ?? null,
    mediaOf(id) {
      const message = messageOf(id);
      return (message ? network.messages.withOthers(message) : []).flatMap(({ medium }) =>
        medium ? [{ type: medium.type, sha256: medium.sha256, altText: null }] : [],
      );
    },
  });
  return {
    ...world,
    edits: () => network.messages.edits(),
    deletePost(id) {
      const message = messageOf(id);
      if (message) network.messages.remove(message);
    },
    // Read on 2026-11-23, https://core.telegram.org/bots/api#making-requests:
    // `https://api.telegram.org/bot<token>/METHOD_NAME`.
    keyLocations: { bot_token: { path: (key) => `/bot${key}/` } },
    enteredAccount: '@kilnnews',
    // https://core.telegram.org/bots/api#linkpreviewoptions
    // https://core.telegram.org/bots/api#sendmessage
    wireFields: { silent: 'disable_notification' },
    wireValues: {
      'link_preview=none': 'is_disabled=true',
      'link_preview=small': 'prefer_small_media=true',
      'link_preview=large': 'prefer_large_media=true',
    },
    network,
    /** The requests and responses, oldest first. */
    calls: (): readonly BotApiCall[] =>
      world
        .exchanges()
        .map(({ request: { path, headers, body: sent }, answer: { status, json: answered } }) => ({
          method: path.split('/').at(-1) ?? '',
          sent,
          isForm: headers['content-type']?.startsWith('multipart/') ?? false,
          status,
          answered,
        })),
  } satisfies ExtendedWorld;
}
