import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { findRecentPosts, resolveSingleMatchWithOptions } from '../kit/find-recent-posts.js';
import { normalizeLink } from '../kit/normalize-link.js';
import { normalizeText } from '../kit/normalize-text.js';
import { requestJson, isWebhook, messagesPathOf } from './client.js';
import { hasFiles, hasFlags } from './build-message.js';
import { cardOf, optionsOf, rules } from './rules.js';
import { channel, listedMessages, me, type ListedMessage } from './wire.js';

/** https://docs.discord.com/developers/reference#snowflakes: the upper bits of an id are the milliseconds since. */
const EPOCH_MS = 1_420_070_400_000n;
const PAGE = 100;
const PAGES_MAX = 5;

/** The bot's own message that is this item: made since it was due, with the same words, in the same place. Null: there is none. */
export async function findMessage(session: Session, item: PublishItem): AdapterResult<ListedMessage | null> {
  if (isWebhook(session)) {
    return refuse('platform.outcome_unknown', 'A webhook cannot look up what it has posted.');
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
  // Without the permission for cards there is none.
  const isDoubtful = whole.length === 0 && same.some((message) => cardIn(message) === undefined);
  return isDoubtful
    ? refuse('platform.outcome_unknown', 'The bot has posted something since that may be this.')
    : resolveSingleMatchWithOptions(whole, (message) => isAsAsked(message, item));
}

/** Whoever may not read the history is shown an empty channel: nothing is proved where its last message is newer. */
async function confirmAbsence(session: Session, { createdAt }: PublishItem) {
  const seen = await requestJson(
    session,
    { method: 'GET', path: messagesPathOf(session), effect: 'read' },
    channel,
  );
  if (!seen.ok) return seen;
  return BigInt(seen.value.last_message_id ?? 0) > BigInt(snowflakeOf(createdAt))
    ? refuse('platform.outcome_unknown', 'The bot may not read what stands in the channel.')
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

/** It answers what the item answers, which may be nothing, and carries as many files. */
const hasSameParent = (
  { message_reference: response, attachments }: ListedMessage,
  { replyTo: answers, mediaCount }: PublishItem,
) =>
  (response?.message_id ?? null) === (answers?.parent.externalId ?? null) &&
  attachments.length === mediaCount;

/** The one that was written for it: Discord makes those of links by itself, and calls them otherwise. */
const cardIn = ({ embeds }: ListedMessage) => embeds?.find(({ type }) => type === 'rich');

function hasCard(message: ListedMessage, item: PublishItem): boolean {
  const [shown, sent] = [cardIn(message), cardOf(item)];
  if (!shown || !sent) return !shown && !sent;
  return (
    normalizeText(shown.title ?? '') === normalizeText(sent.title) &&
    normalizeLink(shown.url ?? '') === normalizeLink(item.link ?? '')
  );
}

/** With the flags, the files and the calls that were asked for, as far as Discord shows them. */
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
