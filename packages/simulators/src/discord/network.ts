import { randomBytes } from 'node:crypto';
import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { messageStore, type DiscordAuthor } from './message-store.js';
import {
  presentChannel,
  presentGuild,
  presentMe,
  presentMessage,
  presentWebhook,
  type DiscordBot,
  type DiscordChannel,
  type DiscordWebhook,
} from './present.js';
import { readMessage } from './read-message.js';
import {
  cannotReply,
  invalid,
  invalidWebhookToken,
  rateLimited,
  missingAccess,
  missingPermissions,
  notFound,
  discordError,
  unauthorized,
  unknownChannel,
  unknownMessage,
  unknownWebhook,
} from './errors.js';

export interface DiscordOptions {
  readonly now?: () => Date;
  readonly apps?: readonly OAuthApp[];
}

/**
 * A bot's permissions in a channel; `writes` without reading messages (READ_MESSAGE_HISTORY), `plain` without
 * embeds (EMBED_LINKS).
 */
export type ChannelAccess = 'posts' | 'plain' | 'writes' | 'sees' | 'nothing';

export const KILN_DISCORD_BOT: DiscordBot = {
  token: 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs',
  id: '198622483471925248',
  name: 'Kiln',
};
export const KILN_CHANNEL: DiscordChannel = {
  id: '290926798999357250',
  guildId: '290926798626357999',
  name: 'news',
  type: 0,
};
export const KILN_WEBHOOK: DiscordWebhook = {
  id: '223704706495545344',
  channelId: KILN_CHANNEL.id,
  name: 'Kiln News',
  token:
    '3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f777c372ba2939e72279b94526ff5d1bd4358d65cf11',
};
const MEMBERS = 41;
const WEEK_SECONDS = 604_800;
const PAGE_MAX = 100;
/**
 * https://docs.discord.com/developers/reference#user-agent: clients without a valid User-Agent may be
 * blocked.
 */
const USER_AGENT = /^DiscordBot \(https?:\/\/\S+, [\w.-]+\)/;
const NO_NONCE = { nonce: null, enforcesNonce: false };

/**
 * Discord according to its documentation and published API description, without a socket: one server,
 * channels, bots and webhooks.
 */
export function discordNetwork(options: DiscordOptions = {}) {
  const now = options.now ?? (() => new Date());
  const messages = messageStore(now);
  const channels = new Map([[KILN_CHANNEL.id, KILN_CHANNEL]]);
  const webhooks = new Map([[KILN_WEBHOOK.id, KILN_WEBHOOK]]);
  const bots = new Map([[KILN_DISCORD_BOT.token, KILN_DISCORD_BOT]]);
  const accesses = new Map<string, ChannelAccess>([[`${KILN_DISCORD_BOT.id} ${KILN_CHANNEL.id}`, 'posts']]);
  let refusesNext: WireResponse | null = null;

  /** Consent creates a webhook, which is returned next to the token. */
  const oauth = codeExchange({
    apps: options.apps ?? [],
    now,
    account: KILN_CHANNEL.id,
    knows: (scope) => scope === 'webhook.incoming',
    paths: { authorize: '/oauth2/authorize', token: '/api/oauth2/token', revoke: '/api/oauth2/token/revoke' },
    clientAuth: 'header',
    pkce: 'optional',
    codeSeconds: 600,
    accessSeconds: WEEK_SECONDS,
    refresh: { seconds: 30 * 86_400, rotates: true, fixed: false },
    present(token, { account, clientId }) {
      const channel = channels.get(account) ?? KILN_CHANNEL;
      const created = {
        id: String(950_000_000_000_000_000n + BigInt(webhooks.size)),
        name: clientId,
        token: randomBytes(51).toString('base64url'),
        channelId: channel.id,
      };
      webhooks.set(created.id, created);
      return { ...token, token_type: 'Bearer', webhook: presentWebhook(created, channel) };
    },
  });

  function say(
    author: DiscordAuthor,
    channelId: string,
    request: WireRequest,
    dropsEmbeds = false,
  ): WireResponse {
    const requested = readMessage(request.body);
    if ('status' in requested) return requested;
    const read = dropsEmbeds ? { ...requested, embeds: [] } : requested;
    // Webhooks ignore these fields.
    const { enforcesNonce, ...draft } = author.isWebhook ? { ...read, replyTo: null, ...NO_NONCE } : read;
    const same =
      enforcesNonce && draft.nonce !== null ? messages.sameNonce({ author, nonce: draft.nonce }) : null;
    if (same)
      return messages.find(channelId, same.id)
        ? okResponse(presentMessage(same, { isNew: true }))
        : unknownMessage;
    if (draft.replyTo !== null && !messages.find(channelId, draft.replyTo)) {
      return invalid('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
    }
    return okResponse(presentMessage(messages.send({ ...draft, author, channelId }), { isNew: true }));
  }

  function look(channelId: string, id: string): WireResponse {
    const found = messages.find(channelId, id);
    return found ? okResponse(presentMessage(found, { isNew: false })) : unknownMessage;
  }

  function remove(author: DiscordAuthor, channelId: string, id: string): WireResponse {
    const found = messages.find(channelId, id);
    if (!found) return unknownMessage;
    if (found.author.id !== author.id) return author.isWebhook ? unknownMessage : missingPermissions;
    messages.remove(id);
    return { status: 204 };
  }

  /** Newest first, after an ID. */
  function list(channelId: string, query: URLSearchParams): WireResponse {
    const limit = Number(query.get('limit') ?? 50);
    if (limit < 1 || limit > PAGE_MAX)
      return invalid('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
    const after = BigInt(query.get('after') ?? 0);
    const later = messages.of(channelId).filter(({ id }) => BigInt(id) > after);
    const page = query.has('after') ? later.slice(0, limit) : later.slice(-limit);
    return okResponse(page.reverse().map((one) => presentMessage(one, { isNew: false })));
  }

  function asWebhook({ id, token, name, channelId }: DiscordWebhook, request: WireRequest): WireResponse {
    const { method, path, query } = request;
    const author = { id, name, isWebhook: true };
    const channel = channels.get(channelId) ?? KILN_CHANNEL;
    const [, messageId = ''] = /\/messages\/(\w+)$/.exec(path) ?? [];
    if (messageId !== '') {
      if (method === 'GET') return look(channelId, messageId);
      return method === 'DELETE' ? remove(author, channelId, messageId) : notFound;
    }
    switch (method) {
      case 'GET':
        return okResponse(presentWebhook({ id, token, name, channelId }, channel));
      case 'DELETE':
        webhooks.delete(id);
        return { status: 204 };
      case 'POST': {
        if (channel.type === 15) {
          return discordError(
            400,
            220_001,
            'Webhooks posted to forum channels must have a thread_name or thread_id',
          );
        }
        const stated = say(author, channelId, request);
        return stated.status === 200 && query.get('wait') !== 'true' ? { status: 204 } : stated;
      }
      default:
        return notFound;
    }
  }

  function asBot(bot: DiscordBot, request: WireRequest): WireResponse {
    const { method, path, query } = request;
    const author = { id: bot.id, name: bot.name, isWebhook: false };
    const [, what = '', id = '', below = '', messageId = ''] =
      /^\/api\/v10\/(\w+)\/([@\w]+)(?:\/(messages)(?:\/(\w+))?)?$/.exec(path) ?? [];
    if (what === 'users' && id === '@me') return okResponse(presentMe(bot));
    if (what === 'guilds') {
      const mine = [...channels.values()].some(
        (one) => one.guildId === id && (accesses.get(`${bot.id} ${one.id}`) ?? 'nothing') !== 'nothing',
      );
      return mine ? okResponse(presentGuild(id, MEMBERS)) : missingAccess;
    }
    if (what !== 'channels') return notFound;
    const channel = channels.get(id);
    if (!channel) return unknownChannel;
    const access = accesses.get(`${bot.id} ${id}`) ?? 'nothing';
    if (access === 'nothing') return missingAccess;
    switch (`${method} ${below}`) {
      case 'GET ':
        return okResponse(presentChannel(channel, messages.of(id).at(-1)?.id ?? null));
      case 'GET messages':
        if (messageId !== '') return look(id, messageId);
        // Documented: without the permission the list is empty, without an error.
        return access === 'writes' ? okResponse([]) : list(id, query);
      case 'POST messages':
        if (access === 'writes' && fieldsOf(request.body)['message_reference'] !== undefined)
          return cannotReply;
        return access === 'sees' ? missingPermissions : say(author, id, request, access === 'plain');
      case 'DELETE messages':
        return remove(author, id, messageId);
      default:
        return notFound;
    }
  }

  return {
    messages,
    webhooks,
    oauth,
    addChannel: (channel: DiscordChannel) => void channels.set(channel.id, channel),
    addWebhook: (webhook: DiscordWebhook) => void webhooks.set(webhook.id, webhook),
    allow: (bot: DiscordBot, channel: DiscordChannel, access: ChannelAccess) =>
      void accesses.set(`${bot.id} ${channel.id}`, access),
    /** The next request is one too many, for so many seconds. */
    limitNext: (seconds: number) => void (refusesNext = rateLimited(seconds)),
    asBot,
    asWebhook,
    respondTo(request: WireRequest): WireResponse {
      const open = oauth.serve(request);
      if (open) return open;
      if (!USER_AGENT.test(textOf(request.headers['user-agent']))) return { status: 403 };
      const isTooMany = refusesNext;
      refusesNext = null;
      if (isTooMany) return isTooMany;
      const [, id, token] = /^\/api\/v10\/webhooks\/(\d+)\/([^/]+)/.exec(request.path) ?? [];
      if (id !== undefined) {
        const webhook = webhooks.get(id);
        if (!webhook) return unknownWebhook;
        return webhook.token === token ? asWebhook(webhook, request) : invalidWebhookToken;
      }
      const [, sent = ''] = /^Bot (.+)$/.exec(String(request.headers['authorization'])) ?? [];
      const bot = bots.get(sent);
      return bot ? asBot(bot, request) : unauthorized;
    },
  };
}

export type DiscordNetwork = ReturnType<typeof discordNetwork>;
