import {
  discordNetwork,
  fieldsOf,
  KILN_CHANNEL,
  KILN_DISCORD_BOT,
  KILN_WEBHOOK,
  observedExchange,
  type ObservedExchange,
} from '@switchboard/simulators';
import { headerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { BOT, WEBHOOK } from '../manifest.js';

const URL_OF_CHANNEL = `https://discord.com/channels/${KILN_CHANNEL.guildId}/${KILN_CHANNEL.id}`;
const missingPermissions = { status: 403, json: { message: 'Missing Permissions', code: 50_013 } };

/** Discord as documented, with one channel, accessed by a bot or by a webhook. */
export async function startWorld(as: 'bot' | 'webhook' = 'bot') {
  const network = discordNetwork({ now: tickingClock() });
  const messageOf = (id: string) => network.messages.find(KILN_CHANNEL.id, id);
  const isBot = as === 'bot';
  type Owner = typeof KILN_DISCORD_BOT | typeof KILN_WEBHOOK | 'weak webhook';
  const world = await startSimulator<Owner>({
    account: {
      id: KILN_CHANNEL.id,
      username: null,
      avatarUrl: null,
      name: isBot ? '#news' : KILN_WEBHOOK.name,
      url: URL_OF_CHANNEL,
    },
    simulator: {
      // A webhook always has all permissions of a webhook.
      respondAs: (request, owner) =>
        owner === 'weak webhook' ? missingPermissions : network.respondAs(request, owner),
    },
    owner: isBot ? KILN_DISCORD_BOT : KILN_WEBHOOK,
    weakOwner: isBot ? { token: 'nobody', id: '7', name: 'Nobody' } : 'weak webhook',
    effects: () => network.messages.createdCount(),
    textOf: (id) => messageOf(id)?.content ?? '',
    titleOf: (id) => messageOf(id)?.embeds[0]?.title ?? null,
    parentOf: (id) => messageOf(id)?.replyTo ?? null,
    mediaOf: (id) =>
      (messageOf(id)?.attachments ?? []).map(({ type, sha256, description: altText }) => ({
        type,
        sha256,
        altText,
      })),
  });
  return {
    ...world,
    edits: () => network.messages.edits().length,
    // Read on 2026-11-23, https://docs.discord.com/developers/reference#authentication: "performed with the
    // `Authorization` HTTP header in the format `Authorization: TOKEN_TYPE TOKEN`", of which a bot's type is
    // `Bot`.
    keyLocations: { bot_token: headerLocation('Authorization', 'Bot ') },
    notReadBack: {
      'having no option mentions':
        'A message reports whether it mentioned everyone, and not which of the names in it were allowed to. https://docs.discord.com/developers/resources/message#message-object',
    },
    optionContent: { mentions: () => ({ text: '<@80351110224678912> @everyone' }) },
    // Optional in the description: for a message that refers to none and that has no reactions.
    // https://discord.com/developers/docs/resources/message#message-object-message-flags and
    // #allowed-mentions-object
    wireValues: {
      'mentions=named': 'parse=users',
      'mentions=everyone': 'parse=everyone',
      'silent=true': 'flags=4096',
      'hide_link_previews=true': 'flags=4',
    },
    omittedFields: ['*.message_reference', '*.message_reference.message_id', 'reactions'],
    permissions: [isBot ? BOT : WEBHOOK],
    mixesDocuments: true,
    enteredAccount: URL_OF_CHANNEL,
    subject: isBot ? URL_OF_CHANNEL : KILN_WEBHOOK.id,
    network,
    /** The requests and responses, oldest first. */
    exchanges: (): readonly ObservedExchange[] =>
      world.exchanges().map((one) => {
        // The JSON part that accompanies files has the schema of the body.
        const payload = fieldsOf(one.request.body)['payload_json'];
        const exchange = observedExchange(one, '/api/v10');
        return typeof payload === 'string' ? { ...exchange, sent: JSON.parse(payload) as unknown } : exchange;
      }),
  } satisfies ExtendedWorld;
}

export type DiscordWorld = Awaited<ReturnType<typeof startWorld>>;
