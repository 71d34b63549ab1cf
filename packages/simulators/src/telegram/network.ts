import type { RoutedRequest, Routes } from '../wire/routes.js';
import { defineSimulator, starter } from '../wire/simulator.js';
import { fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { badRequest, notFound, errorResponse, result, unauthorized } from './responses.js';
import {
  presentBot,
  presentChat,
  presentFullChat,
  presentMember,
  viewRefusal,
  postRefusal,
  type Membership,
  type TelegramBot,
  type TelegramChat,
} from './chats.js';
import {
  mediumOf,
  messageStore,
  type MessageStore,
  type TelegramMediaKind,
  type TelegramMedium,
  type TelegramMessage,
} from './message-store.js';

interface TelegramOptions {
  readonly now?: () => Date;
}

type MethodFields = Readonly<Record<string, unknown>>;
type MessageDraft = Parameters<ReturnType<typeof messageStore>['send']>[0][number];

const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const PHOTO_BYTES_MAX = 10_000_000;
const FILE_BYTES_MAX = 50_000_000;
const DELETABLE_MS = 48 * 3_600_000;

export const KILN_BOT: TelegramBot = {
  token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  id: 110_201_543,
  username: 'kiln_bot',
  name: 'Kiln',
};
export const KILN_NEWS: TelegramChat = {
  id: -1_001_234_567_890,
  type: 'channel',
  title: 'Kiln News',
  username: 'kilnnews',
  members: 812,
  membersMayWrite: false,
};

function openState({ now = () => new Date() }: TelegramOptions) {
  return {
    now,
    messages: messageStore(now),
    bots: new Map([[KILN_BOT.token, KILN_BOT]]),
    chats: new Map([[KILN_NEWS.id, KILN_NEWS]]),
    memberships: new Map<string, Membership>([
      [place(KILN_BOT, KILN_NEWS), { status: 'administrator', canPost: true }],
    ]),
    limitedFor: null as number | null,
    albumBreaksAt: null as number | null,
  };
}
type TelegramState = ReturnType<typeof openState>;
interface MethodCall {
  readonly state: TelegramState;
  readonly bot: TelegramBot;
  readonly fields: MethodFields;
}
type Method = (call: MethodCall) => WireResponse;

const place = (bot: TelegramBot, chat: TelegramChat) => `${bot.id} ${chat.id}`;
const membershipOf = ({ memberships }: TelegramState, bot: TelegramBot, chat: TelegramChat): Membership =>
  memberships.get(place(bot, chat)) ?? { status: 'left' };

/** Calls a method in a chat that the bot may see. */
const inChat =
  (then: (call: MethodCall, chat: TelegramChat) => WireResponse): Method =>
  (call) => {
    const chat = chatOf(call.state, call.fields['chat_id']);
    if ('status' in chat) return chat;
    return viewRefusal(membershipOf(call.state, call.bot, chat), chat) ?? then(call, chat);
  };

const sendFile =
  (kind: TelegramMediaKind): Method =>
  (call) =>
    send(call, () => captionedMessage(call.fields['caption'], kind, call.fields[kind]));

/** The methods of the Bot API, whose names are not case-sensitive. */
const methods: Readonly<Record<string, Method>> = {
  getme: ({ bot }) => result(presentBot(bot)),
  getchat: inChat((_call, chat) => result(presentFullChat(chat))),
  getchatmember: inChat(({ state, bot, fields }, chat) =>
    Number(fields['user_id']) === bot.id
      ? result(presentMember(bot, membershipOf(state, bot, chat), chat))
      : badRequest('member not found'),
  ),
  sendmessage: (call) => send(call, () => textMessage(call.fields['text'])),
  sendphoto: sendFile('photo'),
  sendvideo: sendFile('video'),
  senddocument: sendFile('document'),
  sendmediagroup: (call) => send(call, () => album(call.fields), true),
  editmessagetext: inChat((call, chat) => edit(call, chat, textMessage(call.fields['text']))),
  editmessagecaption: inChat((call, chat) => edit(call, chat, caption(call.fields['caption']), true)),
  deletemessage: inChat(({ state, bot, fields }, chat) => remove(state, bot, chat, fields['message_id'])),
};

function callMethod(
  state: TelegramState,
  { params, query, body, owner: bot }: RoutedRequest<TelegramBot>,
): WireResponse {
  const method = methods[(params['method'] ?? '').toLowerCase()];
  const fields = { ...Object.fromEntries(query), ...fieldsOf(body) };
  return method?.({ state, bot, fields }) ?? notFound;
}
const routes: Routes<TelegramState, TelegramBot> = {
  'GET /bot:token/:method': callMethod,
  'POST /bot:token/:method': callMethod,
};

/** Telegram according to core.telegram.org/bots/api, without a socket: bots, chats and messages. */
export function telegramNetwork(options: TelegramOptions = {}) {
  const state = openState(options);
  const { bots, chats, memberships, messages } = state;

  return {
    messages,
    addChat: (chat: TelegramChat) => void chats.set(chat.id, chat),
    join: (bot: TelegramBot, chat: TelegramChat, membership: Membership) =>
      void memberships.set(place(bot, chat), membership),
    /** The next message is rate limited for this many seconds. */
    limitNext: (seconds: number) => void (state.limitedFor = seconds),
    /** Only this many messages of the next album are sent (rubenlagus/TelegramBots#1520). */
    breakAlbumAt: (count: number) => void (state.albumBreaksAt = count),
    /** The bot's owner requests a new token. */
    revoke: (token: string) => void bots.delete(token),
    ...defineSimulator<TelegramState, TelegramBot>({
      state,
      routes,
      ownerOf({ path }) {
        // A malformed token is a 404; an unknown one is unauthorized.
        const [, token = ''] = /^\/bot([^/]+)\//.exec(path) ?? [];
        return /^\d+:[\w-]{30,}$/.test(token) ? (bots.get(token) ?? null) : notFound;
      },
      unauthorized,
      notFound,
    }),
  };
}

function chatOf({ chats }: TelegramState, requested: unknown): TelegramChat | WireResponse {
  const name = typeof requested === 'number' ? String(requested) : textOf(requested);
  if (name === '') return badRequest('chat_id is empty');
  const chat = name.startsWith('@')
    ? [...chats.values()].find(({ username }) => username?.toLowerCase() === name.slice(1).toLowerCase())
    : chats.get(Number(name));
  if (!chat) return badRequest('chat not found');
  return chat.migratedTo === undefined
    ? chat
    : badRequest('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chat.migratedTo });
}

function send(
  { state, bot, fields }: MethodCall,
  read: () => readonly Pick<MessageDraft, 'text' | 'medium'>[] | WireResponse,
  isAlbum = false,
): WireResponse {
  const { messages } = state;
  const chat = chatOf(state, fields['chat_id']);
  if ('status' in chat) return chat;
  const reason = postRefusal(membershipOf(state, bot, chat), chat) ?? tooMany(state);
  if (reason) return reason;
  const drafts = read();
  if ('status' in drafts) return drafts;
  const replyTo = fieldsOf(json(fields['reply_parameters']))['message_id'];
  if (replyTo !== undefined && !messages.find(chat.id, Number(replyTo))) {
    return badRequest('message to be replied not found');
  }
  const about = {
    chatId: chat.id,
    botId: bot.id,
    replyTo: replyTo === undefined ? null : Number(replyTo),
    silent: isTrue(fields['disable_notification']),
    isProtected: isTrue(fields['protect_content']),
    preview:
      fields['link_preview_options'] === undefined ? null : fieldsOf(json(fields['link_preview_options'])),
  };
  const whole = drafts.map((one) => ({ ...about, ...one }));
  const out = state.albumBreaksAt ?? whole.length;
  state.albumBreaksAt = null;
  const sent = messages.send(whole.slice(0, out));
  const presented = sent.map((one) => presentMessage(messages, one, chat, bot));
  return out < whole.length
    ? badRequest(
        `failed to send message #${out + 1} with the error message "Too Many Requests: retry after 8"`,
      )
    : result(isAlbum ? presented : presented[0]);
}

function tooMany(state: TelegramState): WireResponse | null {
  const seconds = state.limitedFor;
  state.limitedFor = null;
  return seconds === null
    ? null
    : errorResponse(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}

/** In a channel the sender is the channel. */
function presentMessage(
  messages: MessageStore,
  message: TelegramMessage,
  chat: TelegramChat,
  bot: TelegramBot,
): object {
  const { id, text, medium, groupId, replyTo, sentAt } = message;
  const response = replyTo === null ? null : messages.find(chat.id, replyTo);
  return {
    message_id: id,
    ...(chat.type === 'channel' ? { sender_chat: presentChat(chat) } : { from: presentBot(bot) }),
    chat: presentChat(chat),
    date: Math.floor(sentAt.getTime() / 1_000),
    ...(response && {
      reply_to_message: presentMessage(messages, { ...response, replyTo: null }, chat, bot),
    }),
    ...(groupId !== null && { media_group_id: groupId }),
    ...(medium ? { ...presentMedium(medium), ...(text !== '' && { caption: text }) } : { text }),
    ...(message.isProtected && { has_protected_content: true }),
  };
}

function remove(
  { now, messages }: TelegramState,
  bot: TelegramBot,
  chat: TelegramChat,
  id: unknown,
): WireResponse {
  const message = messages.find(chat.id, Number(id));
  if (!message) return badRequest('message to delete not found');
  const isOld = now().getTime() - message.sentAt.getTime() >= DELETABLE_MS;
  if (isOld || message.botId !== bot.id) return badRequest("message can't be deleted");
  messages.remove(message);
  return result(true);
}

/** The text of a message, or the caption of its media. */
function edit(
  { state: { messages }, bot, fields }: MethodCall,
  chat: TelegramChat,
  requested: readonly Pick<MessageDraft, 'text'>[] | WireResponse,
  ofMedia = false,
): WireResponse {
  if ('status' in requested) return requested;
  const message = messages.find(chat.id, Number(fields['message_id']));
  if (!message) return badRequest('message to edit not found');
  if (message.botId !== bot.id) return badRequest("message can't be edited");
  if (!ofMedia && message.medium) return badRequest('there is no text in the message to edit');
  if (ofMedia && !message.medium) return badRequest('there is no caption in the message to edit');
  const text = requested[0]?.text ?? '';
  if (text === message.text)
    return badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  return result(presentMessage(messages, messages.edit(message, text), chat, bot));
}

function caption(value: unknown): readonly Pick<MessageDraft, 'text'>[] | WireResponse {
  const text = textOf(value).trim();
  return [...text].length > CAPTION_MAX ? badRequest('message caption is too long') : [{ text }];
}

function textMessage(value: unknown): readonly Pick<MessageDraft, 'text' | 'medium'>[] | WireResponse {
  const text = textOf(value).trim();
  if (text === '') return badRequest('message text is empty');
  return [...text].length > TEXT_MAX ? badRequest('message is too long') : [{ text, medium: null }];
}

function captionedMessage(caption: unknown, kind: TelegramMediaKind, file: unknown) {
  const medium = mediumIn(kind, file);
  const text = textOf(caption).trim();
  if ('status' in medium) return medium;
  return [...text].length > CAPTION_MAX ? badRequest('message caption is too long') : [{ text, medium }];
}

function mediumIn(kind: TelegramMediaKind, file: unknown): TelegramMedium | WireResponse {
  if (typeof file !== 'object' || file === null) return badRequest(`there is no ${kind} in the request`);
  const medium = mediumOf(kind, file as FormFile);
  const max = kind === 'photo' ? PHOTO_BYTES_MAX : FILE_BYTES_MAX;
  if (medium.bytes > max) return errorResponse(413, 'Request Entity Too Large');
  const isImage = medium.type.startsWith('image/');
  return kind === 'photo' && !isImage ? badRequest('IMAGE_PROCESS_FAILED') : medium;
}

/** Its files are separate form fields, referenced by `attach://`. */
function album(fields: MethodFields) {
  const listed = json(fields['media']);
  const items: readonly unknown[] = Array.isArray(listed) ? listed : [];
  if (items.length < 2 || items.length > 10) return badRequest('wrong number of media in the album');
  const read: Pick<MessageDraft, 'text' | 'medium'>[] = [];
  for (const item of items.map(fieldsOf)) {
    const [, name = ''] = /^attach:\/\/(.+)$/.exec(textOf(item['media'])) ?? [];
    const kind = textOf(item['type']);
    if (kind !== 'photo' && kind !== 'video' && kind !== 'document')
      return badRequest("can't parse InputMedia");
    const one = captionedMessage(item['caption'], kind, fields[name]);
    if ('status' in one) return one;
    read.push(...one);
  }
  const documents = read.filter(({ medium }) => medium?.kind === 'document').length;
  return documents > 0 && documents < read.length
    ? badRequest("document can't be mixed with other media types")
    : read;
}

/** The files in a response: photos in several sizes, everything else by its type. */
function presentMedium({ kind, type, fileName, bytes, sha256 }: TelegramMedium) {
  const file = { file_id: `AgAC${sha256}`, file_unique_id: sha256.slice(0, 15), file_size: bytes };
  if (kind === 'photo')
    return {
      photo: [
        { ...file, width: 90, height: 67 },
        { ...file, width: 800, height: 600 },
      ],
    };
  const named = { ...file, file_name: fileName, mime_type: type };
  return kind === 'video'
    ? { video: { ...named, width: 640, height: 360, duration: 1 } }
    : { document: named };
}

/** Objects are JSON within a form. */
function json(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 'True';

export const startTelegram = starter(telegramNetwork);
