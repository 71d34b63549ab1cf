import {
  ok,
  refuse,
  type PublishedPart,
  type Publishing,
  type Session,
  type PublishItem,
  type PlatformRequest,
  type PublishMedia,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeLink } from '@switchboard/platform-kit/normalize-link';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { exists, isWebhook, messagesPathOf, nullIfUnknown, remove, requestJson } from './client.js';
import { rules, cardOf, optionsOf } from './rules.js';
import { message, channel, listedMessage, listedMessages, me, type ListedMessage } from './wire.js';
import { createHash } from 'node:crypto';
import { multipart } from '@switchboard/platform-kit/multipart';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item) {
    const byWebhook = isWebhook(session);
    if (byWebhook && item.replyTo) {
      return refuse(
        'platform.refused',
        'A Discord webhook cannot reply to a message. Connect a bot to reply.',
      );
    }
    const posted = await requestJson(
      session,
      {
        method: 'POST',
        ...(byWebhook
          ? { path: messagesPathOf(session), query: { wait: true } }
          : { path: `${messagesPathOf(session)}/messages` }),
        ...buildMessage(item, !byWebhook),
        effect: 'write',
      },
      message,
    );
    return posted.ok ? ok(partOf(session, posted.value.id)) : posted;
  },

  async find(session, item) {
    const found = await findMessage(session, item);
    return found.ok ? ok(found.value && partOf(session, found.value.id)) : found;
  },

  /** Attachments and flags that are not sent stay. https://docs.discord.com/developers/resources/message#edit-message */
  async edit(session, { externalId }, item) {
    const card = cardOf(item);
    const edited = await requestJson(
      session,
      {
        method: 'PATCH',
        path: messagePathOf(session, externalId),
        json: {
          content: rules.finalText(item),
          embeds: card ? [card] : [],
          allowed_mentions: mentionsOf(item),
        },
        effect: 'write',
      },
      message,
    );
    return edited.ok ? ok() : edited;
  },

  async isEdited(session, { externalId }, item) {
    const path = messagePathOf(session, externalId);
    const seen = await requestJson(session, path, listedMessage, nullIfUnknown);
    if (!seen.ok) return seen;
    return ok(seen.value !== null && hasSameText(seen.value, item) && hasCard(seen.value, item));
  },

  exists: (session, { externalId }) =>
    exists(session, messagePathOf(session, externalId), message, nullIfUnknown),

  remove: (session, { externalId }) =>
    remove(session, { path: messagePathOf(session, externalId) }, nullIfUnknown),
};

const messagePathOf = (session: Session, id: string): string =>
  `${messagesPathOf(session)}/messages/${encodeURIComponent(id)}`;

/** Below the channel's own URL, which contains the server too: a message does not. */
const partOf = ({ account }: Session, id: string): PublishedPart => ({
  externalId: id,
  url: account.url === null ? null : `${account.url}/${id}`,
  receipt: {},
});

/**
 * https://docs.discord.com/developers/reference#snowflakes: the upper bits of an ID are the milliseconds
 * since the Discord epoch.
 */
const EPOCH_MS = 1_420_070_400_000n;
const PAGE = 100;
const PAGES_MAX = 5;

/**
 * The bot's own message that is this item: created since it was due, with the same text, in the same place.
 * Null: there is none.
 */
async function findMessage(session: Session, item: PublishItem): AdapterResult<ListedMessage | null> {
  if (isWebhook(session)) {
    return refuse('platform.outcome_unknown', 'A webhook cannot read its own messages.');
  }
  const bot = await requestJson(session, '/users/@me', me);
  if (!bot.ok) return bot;
  const recent = await findRecentPosts(
    item,
    (next, since) => listMessagesAfter(session, next ?? snowflakeOf(since)),
    {
      pagesMax: PAGES_MAX,
      newestFirst: false,
      createdAtOf: ({ timestamp }) => timestamp,
    },
  );
  if (!recent.ok) return recent;
  if (recent.value.length === 0) return confirmAbsence(session, item);
  const mine = recent.value.filter(({ author }) => author.id === bot.value.id);
  const same = mine.filter((message) => hasSameParent(message, item) && hasSameText(message, item));
  const whole = same.filter((message) => hasCard(message, item));
  // Without the permission to embed links there is no card.
  const isDoubtful = whole.length === 0 && same.some((message) => cardIn(message) === undefined);
  return isDoubtful
    ? refuse('platform.outcome_unknown', 'The bot has since posted a message that may be this one.')
    : resolveSingleMatchWithOptions(whole, (message) => isAsAsked(message, item));
}

/**
 * Without the permission to read the history the channel appears empty: if its last message is newer, nothing
 * is proved.
 */
async function confirmAbsence(session: Session, { createdAt }: PublishItem) {
  const seen = await requestJson(session, messagesPathOf(session), channel);
  if (!seen.ok) return seen;
  return BigInt(seen.value.last_message_id ?? 0) > BigInt(snowflakeOf(createdAt))
    ? refuse('platform.outcome_unknown', 'The bot is not permitted to read the channel history.')
    : ok(null);
}

async function listMessagesAfter(session: Session, after: string) {
  const path = `${messagesPathOf(session)}/messages`;
  const listed = await requestJson(session, { path, query: { after, limit: PAGE } }, listedMessages);
  if (!listed.ok) return listed;
  const found = listed.value;
  const newest = found.reduce((last, { id }) => (BigInt(id) > BigInt(last) ? id : last), after);
  return ok({ found, next: found.length === PAGE ? newest : undefined });
}

const snowflakeOf = (at: Date): string => String((BigInt(at.getTime()) - EPOCH_MS) << 22n);

/** It replies to the same message as the item, or to none, and has as many files. */
const hasSameParent = (
  { message_reference: response, attachments }: ListedMessage,
  { replyTo, mediaCount }: PublishItem,
) =>
  (response?.message_id ?? null) === (replyTo?.parent.externalId ?? null) &&
  attachments.length === mediaCount;

/** Our own embed: Discord creates those of links itself, with another type. */
const cardIn = ({ embeds }: ListedMessage) => embeds?.find(({ type }) => type === 'rich');

function hasCard(message: ListedMessage, item: PublishItem): boolean {
  const [shown, sent] = [cardIn(message), cardOf(item)];
  if (!shown || !sent) return !shown && !sent;
  return (
    normalizeText(shown.title ?? '') === normalizeText(sent.title) &&
    normalizeLink(shown.url ?? '') === normalizeLink(item.link ?? '')
  );
}

/** With the requested flags, files and mentions, as far as Discord reports them. */
const isAsAsked = (message: ListedMessage, item: PublishItem): boolean =>
  hasFlags(message.flags, item) &&
  hasFiles(
    message.attachments.map(({ filename }) => filename),
    item,
  ) &&
  (!EVERYONE.test(message.content) ||
    message.mention_everyone == null ||
    message.mention_everyone === (optionsOf(item).mentions === 'everyone'));

const EVERYONE = /@(?:everyone|here)\b/;

const hasSameText = ({ content }: ListedMessage, item: PublishItem): boolean =>
  normalizeText(content) === normalizeText(rules.finalText(item));

function mentionsOf(item: Pick<PublishItem, 'options'>) {
  const { mentions } = optionsOf(item);
  return { parse: mentions ? mentionTypes[mentions] : [] };
}

const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;
const NONCE_LENGTH = 25;
const mentionTypes = { named: ['users', 'roles'], everyone: ['users', 'roles', 'everyone'] };

/** The message flags that the options request. */
const flagsOf = (item: Pick<PublishItem, 'options'>): number => {
  const { silent, hide_link_previews } = optionsOf(item);
  return (hide_link_previews ? SUPPRESS_EMBEDS : 0) | (silent ? SUPPRESS_NOTIFICATIONS : 0);
};

/** Whether a message has the flags that the options request, as far as Discord reports them. */
const hasFlags = (shown: number | null | undefined, item: Pick<PublishItem, 'options'>): boolean =>
  shown == null || (shown & (SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS)) === flagsOf(item);

/** File names contain the message's reference, so that a lookup can attribute them. */
const fileNameOf = (item: PublishItem, at: number, { fileName }: Pick<PublishMedia, 'fileName'>): string =>
  `${nonceOf(item)}-${at}${fileName.slice(fileName.lastIndexOf('.'))}`;

/** Whether file names contain the item's reference, as far as Discord reports them. */
const hasFiles = (names: readonly (string | null | undefined)[], item: PublishItem): boolean =>
  names.every((name, at) => name == null || name.startsWith(`${nonceOf(item)}-${at}.`));

/**
 * The common fields of webhook and bot messages; a bot adds a nonce for deduplication and the message it
 * replies to.
 */
function buildMessage(
  item: PublishItem,
  ofBot: boolean,
): Pick<PlatformRequest, 'json' | 'body' | 'deadlineSeconds'> {
  const { media, replyTo } = item;
  const content = rules.finalText(item);
  const card = cardOf(item);
  const flags = flagsOf(item);
  const json = {
    ...(content !== '' && { content }),
    ...(card && { embeds: [card] }),
    // Without it, every text that looks like a name or like @everyone mentions people.
    allowed_mentions: mentionsOf(item),
    ...(flags !== 0 && { flags }),
    ...(media.length > 0 && {
      attachments: media.map((one, at) => ({
        id: String(at),
        filename: fileNameOf(item, at, one),
        ...(one.altText !== null && { description: one.altText }),
      })),
    }),
    ...(ofBot && { nonce: nonceOf(item), enforce_nonce: true }),
    ...(ofBot && replyTo && { message_reference: { message_id: replyTo.parent.externalId } }),
  };
  if (media.length === 0) return { json };
  const files = media.map((one, at) => ({
    ...one,
    name: `files[${at}]`,
    fileName: fileNameOf(item, at, one),
    read: () => one.read(),
  }));
  const body = multipart({ payload_json: JSON.stringify(json) }, ...files);
  return { body, deadlineSeconds: uploadTimeoutSeconds(body.length) };
}

/** The same for every attempt, with the maximum length of a nonce. */
const nonceOf = ({ reference }: PublishItem): string =>
  createHash('sha256').update(reference).digest('hex').slice(0, NONCE_LENGTH);
