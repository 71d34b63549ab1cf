import { ok, refuse } from '@switchboard/domain';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { findRecentPosts, resolveSingleMatchWithOptions } from '../kit/find-recent-posts.js';
import { normalizeLink } from '../kit/normalize-link.js';
import { normalizeText } from '../kit/normalize-text.js';
import { requestJson, isWebhook, messagesPathOf } from './client.js';
import { hasFiles, hasFlags } from './build-message.js';
import { cardOf, optionsOf, rules } from './rules.js';
import { channel, listedMessages, me, type ListedMessage } from './wire.js';

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
export async function findMessage(session: Session, item: PublishItem): AdapterResult<ListedMessage | null> {
  if (isWebhook(session)) {
    return refuse('platform.outcome_unknown', 'A webhook cannot read its own messages.');
  }
  const bot = await requestJson(session, { method: 'GET', path: '/users/@me', effect: 'read' }, me);
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
  const seen = await requestJson(
    session,
    { method: 'GET', path: messagesPathOf(session), effect: 'read' },
    channel,
  );
  if (!seen.ok) return seen;
  return BigInt(seen.value.last_message_id ?? 0) > BigInt(snowflakeOf(createdAt))
    ? refuse('platform.outcome_unknown', 'The bot is not permitted to read the channel history.')
    : ok(null);
}

async function listMessagesAfter(session: Session, after: string) {
  const path = `${messagesPathOf(session)}/messages`;
  const listed = await requestJson(
    session,
    { method: 'GET', path, query: { after, limit: PAGE }, effect: 'read' },
    listedMessages,
  );
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
