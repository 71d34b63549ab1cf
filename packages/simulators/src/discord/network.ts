import { randomBytes } from 'node:crypto';
import { oauthServer } from '../wire/oauth-server.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { messageStore, type DiscordAuthor, type MessageStore } from './message-store.js';
import { presentChannel, presentMe, presentMessage, presentWebhook, type DiscordChannel } from './present.js';
import { readMessage } from './read-message.js';
import * as errors from './errors.js';

type DiscordOptions = PlatformOptions;

/**
 * A bot's permissions in a channel; `writes` without reading messages (READ_MESSAGE_HISTORY), `plain` without
 * embeds (EMBED_LINKS).
 */
type ChannelAccess = 'posts' | 'plain' | 'writes' | 'sees' | 'nothing';

export const KILN_DISCORD_BOT = {
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
export const KILN_WEBHOOK = {
  id: '223704706495545344',
  channelId: KILN_CHANNEL.id,
  name: 'Kiln News',
  token:
    '3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f777c372ba2939e72279b94526ff5d1bd4358d65cf11',
};
export type DiscordBot = Readonly<typeof KILN_DISCORD_BOT>;
export type DiscordWebhook = Readonly<typeof KILN_WEBHOOK>;
const WEEK_SECONDS = 604_800;
const PAGE_MAX = 100;
/**
 * https://docs.discord.com/developers/reference#user-agent: clients without a valid User-Agent may be
 * blocked.
 */
const USER_AGENT = /^DiscordBot \(https?:\/\/\S+, [\w.-]+\)/;
const NO_NONCE = { nonce: null, enforcesNonce: false };

const openState = ({ now = () => new Date() }: DiscordOptions) => ({
  now,
  messages: messageStore(now),
  channels: new Map([[KILN_CHANNEL.id, KILN_CHANNEL]]),
  webhooks: new Map([[KILN_WEBHOOK.id, KILN_WEBHOOK]]),
  bots: new Map([[KILN_DISCORD_BOT.token, KILN_DISCORD_BOT]]),
  accesses: new Map<string, ChannelAccess>([[`${KILN_DISCORD_BOT.id} ${KILN_CHANNEL.id}`, 'posts']]),
  refusesNext: null as WireResponse | null,
});
type DiscordState = ReturnType<typeof openState>;
type DiscordOwner = DiscordBot | DiscordWebhook;
type DiscordRequest = RoutedRequest<DiscordOwner>;
type DiscordRoute = Route<DiscordState, DiscordOwner>;

const WEBHOOK = '/api/v10/webhooks/:id/:token';
const CHANNEL = '/api/v10/channels/:channel';
const authorOf = ({ id, name }: DiscordOwner, isWebhook: boolean): DiscordAuthor => ({ id, name, isWebhook });
const channelIdOf = (owner: DiscordOwner): string =>
  'channelId' in owner ? owner.channelId : KILN_CHANNEL.id;

/** A channel that a bot may see, with its access; otherwise the error. */
function seenChannel(
  { channels, accesses }: DiscordState,
  owner: DiscordOwner,
  id: string,
): { readonly channel: DiscordChannel; readonly access: ChannelAccess } | WireResponse {
  const channel = channels.get(id);
  if (!channel) return errors.unknownChannel;
  const access = accesses.get(`${owner.id} ${id}`) ?? 'nothing';
  return access === 'nothing' ? errors.missingAccess : { channel, access };
}

/** A route of a channel, for bots that may see it. */
const inChannel =
  (
    handle: (state: DiscordState, request: DiscordRequest, access: ChannelAccess, id: string) => WireResponse,
  ): DiscordRoute =>
  (state, request) => {
    const id = request.params['channel'] ?? '';
    const seen = seenChannel(state, request.owner, id);
    return 'status' in seen ? seen : handle(state, request, seen.access, id);
  };

const routes: Routes<DiscordState, DiscordOwner> = {
  [`GET ${WEBHOOK}/messages/:message`]: ({ messages }, { owner, params }) =>
    readMessageOf(messages, channelIdOf(owner), params['message'] ?? ''),
  [`PATCH ${WEBHOOK}/messages/:message`]: ({ messages }, request) =>
    editMessage(messages, authorOf(request.owner, true), channelIdOf(request.owner), request),
  [`DELETE ${WEBHOOK}/messages/:message`]: ({ messages }, { owner, params }) =>
    deleteMessage(messages, authorOf(owner, true), channelIdOf(owner), params['message'] ?? ''),
  [`GET ${WEBHOOK}`]: ({ channels, webhooks }, { owner }) => {
    const channel = channels.get(channelIdOf(owner)) ?? KILN_CHANNEL;
    return okResponse(presentWebhook(webhooks.get(owner.id) ?? KILN_WEBHOOK, channel));
  },
  [`DELETE ${WEBHOOK}`]: ({ webhooks }, { owner }) => {
    webhooks.delete(owner.id);
    return { status: 204 };
  },
  [`POST ${WEBHOOK}`]: postToWebhook,
  'GET /api/v10/users/@me': (_, { owner }) => okResponse(presentMe(owner)),
  [`GET ${CHANNEL}`]: inChannel(({ channels, messages }, _request, _access, id) =>
    okResponse(presentChannel(channels.get(id) ?? KILN_CHANNEL, messages.of(id)[0]?.id ?? null)),
  ),
  [`GET ${CHANNEL}/messages/:message`]: inChannel(({ messages }, { params }, _access, id) =>
    readMessageOf(messages, id, params['message'] ?? ''),
  ),
  // Documented: without the permission the list is empty, without an error.
  [`GET ${CHANNEL}/messages`]: inChannel(({ messages }, { query }, access, id) =>
    access === 'writes' ? okResponse([]) : listMessages(messages, id, query),
  ),
  [`POST ${CHANNEL}/messages`]: inChannel(({ messages }, request, access, id) => {
    if (access === 'writes' && fieldsOf(request.body)['message_reference'] !== undefined)
      return errors.cannotReply;
    if (access === 'sees') return errors.missingPermissions;
    return createMessage(messages, authorOf(request.owner, false), id, request, access === 'plain');
  }),
  [`PATCH ${CHANNEL}/messages/:message`]: inChannel(({ messages }, request, _access, id) =>
    editMessage(messages, authorOf(request.owner, false), id, request),
  ),
  [`DELETE ${CHANNEL}/messages/:message`]: inChannel(({ messages }, { owner, params }, _access, id) =>
    deleteMessage(messages, authorOf(owner, false), id, params['message'] ?? ''),
  ),
};

/**
 * Discord according to its documentation and published API description, without a socket: one server,
 * channels, bots and webhooks.
 */
export function discordNetwork(options: DiscordOptions = {}) {
  const state = openState(options);
  const { channels, messages, now, webhooks, bots, accesses } = state;

  /** Consent creates a webhook, which is returned next to the token. */
  const oauth = oauthServer({
    apps: options.apps ?? [],
    now,
    account: KILN_CHANNEL.id,
    knows: (scope) => scope === 'webhook.incoming',
    paths: { authorize: '/oauth2/authorize', token: '/api/oauth2/token', revoke: '/api/oauth2/token/revoke' },
    clientAuth: 'header',
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

  function ownerOf({ path, headers }: WireRequest): DiscordOwner | WireResponse | null {
    if (!USER_AGENT.test(textOf(headers['user-agent']))) return { status: 403 };
    const isTooMany = state.refusesNext;
    state.refusesNext = null;
    if (isTooMany) return isTooMany;
    const [, id, token] = /^\/api\/v10\/webhooks\/(\d+)\/([^/]+)/.exec(path) ?? [];
    if (id === undefined) return bots.get(textOf(headers['authorization']).replace(/^Bot /, '')) ?? null;
    const webhook = webhooks.get(id);
    if (!webhook) return errors.unknownWebhook;
    return webhook.token === token ? webhook : errors.invalidWebhookToken;
  }

  return {
    messages,
    webhooks,
    oauth,
    addChannel: (channel: DiscordChannel) => void channels.set(channel.id, channel),
    allow: (bot: DiscordBot, channel: DiscordChannel, access: ChannelAccess) =>
      void accesses.set(`${bot.id} ${channel.id}`, access),
    /** The next request is one too many, for so many seconds. */
    limitNext: (seconds: number) => void (state.refusesNext = errors.rateLimited(seconds)),
    ...defineSimulator<DiscordState, DiscordOwner>({
      state,
      oauth,
      routes,
      ownerOf,
      unauthorized: errors.unauthorized,
      notFound: errors.notFound,
    }),
  };
}

export const startDiscord = starter(discordNetwork);

function createMessage(
  messages: MessageStore,
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
      : errors.unknownMessage;
  if (draft.replyTo !== null && !messages.find(channelId, draft.replyTo)) {
    return errors.invalid('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  }
  return okResponse(presentMessage(messages.send({ ...draft, author, channelId }), { isNew: true }));
}

function readMessageOf(messages: MessageStore, channelId: string, id: string): WireResponse {
  const found = messages.find(channelId, id);
  return found ? okResponse(presentMessage(found, { isNew: false })) : errors.unknownMessage;
}

/** Fields that are not sent stay, and so do all attachments. */
function editMessage(
  messages: MessageStore,
  author: DiscordAuthor,
  channelId: string,
  { body, params }: Pick<DiscordRequest, 'body' | 'params'>,
): WireResponse {
  const found = messages.find(channelId, params['message'] ?? '');
  if (!found) return errors.unknownMessage;
  if (found.author.id !== author.id)
    return author.isWebhook ? errors.unknownMessage : errors.missingPermissions;
  const fields = fieldsOf(body);
  // The attachments that stay make a message without a text valid.
  const whole = {
    ...fields,
    content: textOf(fields['content']) || (found.attachments.length > 0 ? ' ' : ''),
  };
  const requested = readMessage(whole);
  if ('status' in requested) return requested;
  const { embeds } = requested;
  const edited = messages.edit(found.id, { content: requested.content.trim(), embeds });
  return edited ? okResponse(presentMessage(edited, { isNew: false })) : errors.unknownMessage;
}

function deleteMessage(
  messages: MessageStore,
  author: DiscordAuthor,
  channelId: string,
  id: string,
): WireResponse {
  const found = messages.find(channelId, id);
  if (!found) return errors.unknownMessage;
  if (found.author.id !== author.id)
    return author.isWebhook ? errors.unknownMessage : errors.missingPermissions;
  messages.remove(id);
  return { status: 204 };
}

/** Newest first, after an ID. */
function listMessages(messages: MessageStore, channelId: string, query: URLSearchParams): WireResponse {
  const limit = Number(query.get('limit') ?? 50);
  if (limit < 1 || limit > PAGE_MAX)
    return errors.invalid('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
  const after = BigInt(query.get('after') ?? 0);
  const later = messages.of(channelId).filter(({ id }) => BigInt(id) > after);
  const page = query.has('after') ? later.slice(-limit) : later.slice(0, limit);
  return okResponse(page.map((one) => presentMessage(one, { isNew: false })));
}

function postToWebhook({ channels, messages }: DiscordState, request: DiscordRequest): WireResponse {
  const channelId = channelIdOf(request.owner);
  if (channels.get(channelId)?.type === 15) {
    return errors.discordError(
      400,
      220_001,
      'Webhooks posted to forum channels must have a thread_name or thread_id',
    );
  }
  const stated = createMessage(messages, authorOf(request.owner, true), channelId, request);
  return stated.status === 200 && request.query.get('wait') !== 'true' ? { status: 204 } : stated;
}
