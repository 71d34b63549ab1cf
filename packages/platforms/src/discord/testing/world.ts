import {
  discordNetwork,
  fieldsOfForm,
  KILN_CHANNEL,
  KILN_DISCORD_BOT,
  KILN_WEBHOOK,
  type DiscordNetwork,
  type ObservedExchange,
  type WireRequest,
} from '@switchboard/simulators';
import { headerLocation } from '../../kit/testing/key-location.js';
import {
  startSimulator,
  type SimulatedResponse,
  type SimulatedRequest,
} from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';
import { BOT, WEBHOOK } from '../manifest.js';

export interface DiscordWorld extends World {
  readonly network: DiscordNetwork;
  /** The requests and responses, oldest first. */
  exchanges(): readonly ObservedExchange[];
}

const URL_OF_CHANNEL = `https://discord.com/channels/${KILN_CHANNEL.guildId}/${KILN_CHANNEL.id}`;
const errorResponse = (code: number, message: string, status = 401): SimulatedResponse => ({
  status,
  json: { message, code },
});

/**
 * Discord as documented, with one channel, accessed by a bot or by a webhook. Its clock advances a second
 * each time it is read.
 */
export async function startWorld(as: 'bot' | 'webhook' = 'bot'): Promise<DiscordWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const network = discordNetwork({ now: () => new Date(++seconds * 1_000) });
  const seen: ObservedExchange[] = [];
  const messageOf = (id: string) => network.messages.find(KILN_CHANNEL.id, id);
  const unknownAccount = { token: 'nobody', id: '7', name: 'Nobody' };

  async function requestAs(
    request: SimulatedRequest,
    respondTo: (request: WireRequest) => ReturnType<DiscordNetwork['respondTo']>,
  ): Promise<SimulatedResponse> {
    const form = request.form && (await fieldsOfForm(request.form));
    const response = respondTo({ ...request, body: form ?? request.body }) as SimulatedResponse;
    const { method, query } = request;
    const path = request.path.replace(/^\/api\/v10/, '');
    // The JSON part that accompanies files has the schema of the body.
    const payload = form?.['payload_json'];
    const sent: unknown = typeof payload === 'string' ? JSON.parse(payload) : request.body;
    seen.push({ method, path, query, sent, status: response.status, answered: response.json });
    return response;
  }

  const isBot = as === 'bot';
  const world = await startSimulator({
    account: {
      id: KILN_CHANNEL.id,
      username: null,
      avatarUrl: null,
      name: isBot ? '#news' : KILN_WEBHOOK.name,
      url: URL_OF_CHANNEL,
    },
    expiredTokenResponse: isBot
      ? errorResponse(0, '401: Unauthorized')
      : errorResponse(50_027, 'Invalid Webhook Token'),
    unknownTokenResponse: isBot
      ? errorResponse(0, '401: Unauthorized')
      : errorResponse(10_015, 'Unknown Webhook', 404),
    async respondToWeakToken(request) {
      // A webhook always has all permissions of a webhook.
      if (!isBot) return errorResponse(50_013, 'Missing Permissions', 403);
      const response = await requestAs(request, (one) => network.asBot(unknownAccount, one));
      return response.status === 403 ? response : null;
    },
    respond: (request) =>
      requestAs(request, (one) =>
        isBot ? network.asBot(KILN_DISCORD_BOT, one) : network.asWebhook(KILN_WEBHOOK, one),
      ),
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
    exchanges: () => seen,
  };
}
