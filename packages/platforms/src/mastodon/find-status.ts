import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { localId } from './account-id.js';
import { linkBelow as finalText } from '../kit/link-below.js';
import { uploadedMedia } from '../kit/uploaded-media.js';
import { listedSince, onlyOneAsAsked, type ListedPage } from '../kit/look-back.js';
import { optionsOf } from './rules.js';
import { dialect, source, status, statuses, type ListedStatus } from './wire.js';

const PAGE = 40;
const PAGES_MAX = 5;

/** The account's status that is this item: made since it was due, with the very same text, in the same place. Null: there is none. */
export async function findStatus(session: Session, item: PublishItem): Answer<ListedStatus | null> {
  const recent = await listedSince(item, (before) => statusesBefore(session, before), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    madeAt: (status) => status.created_at,
  });
  if (!recent.ok) return recent;
  const same: ListedStatus[] = [];
  for (const candidate of recent.value.filter((status) => isInPlace(status, item))) {
    const matches = await saysItem(session, candidate.id, item);
    if (!matches.ok) return matches;
    if (matches.value) same.push(candidate);
  }
  return onlyOneAsAsked(same, (status) => isAsAsked(status, item));
}

async function statusesBefore(
  session: Session,
  before: string | undefined,
): Answer<ListedPage<ListedStatus>> {
  const listed = await ask(
    session,
    dialect,
    {
      method: 'GET',
      path: `/api/v1/accounts/${localId(session)}/statuses`,
      query: { limit: PAGE, exclude_reblogs: true, max_id: before },
      effect: 'read',
    },
    statuses,
  );
  // A server may give fewer than were asked for, so that only nothing at all is the end.
  return listed.ok ? ok({ found: listed.value, next: listed.value.at(-1)?.id }) : listed;
}

/** It answers what the item answers, which may be nothing, and carries as many media. */
const isInPlace = (status: ListedStatus, { answers, mediaCount }: PublishItem): boolean =>
  (status.in_reply_to_id ?? null) === (answers?.parent.externalId ?? null) &&
  (status.media_attachments ?? []).length === mediaCount;

/** Marked as sensitive where that was asked for, in the language that was, and with the item's own uploads. Its visibility `find` itself compares. */
function isAsAsked(
  { sensitive, language, media_attachments: shown }: ListedStatus,
  item: PublishItem,
): boolean {
  const asked = optionsOf(item);
  const media = uploadedMedia(item) ?? [];
  const isMarked = item.mediaCount > 0 || (asked.spoiler_text ?? '') !== '';
  return (
    // The account's own settings may mark media, and a warning marks every status.
    (sensitive == null || isMarked || sensitive === (asked.sensitive ?? false)) &&
    // A server may know the language alone, and not how it is spoken in a country.
    (language == null ||
      asked.language === undefined ||
      language.split('-')[0] === asked.language.split('-')[0]) &&
    media.every((id) => shown.some((one) => one.id === id))
  );
}

/** Servers answer HTML; what was sent is kept beside it, without the white space around it. */
async function saysItem(session: Session, id: string, item: PublishItem): Answer<boolean> {
  const path = `/api/v1/statuses/${encodeURIComponent(id)}`;
  const kept = await ask(
    session,
    dialect,
    { method: 'GET', path: `${path}/source`, effect: 'read' },
    source,
    (_words, { status: code }) => (code === 404 ? ok(null) : undefined),
  );
  if (!kept.ok) return kept;
  if (kept.value === null) return isGone(session, path);
  const { text, warning } = asKept(item);
  return ok(kept.value.text.trim() === text && (kept.value.spoiler_text ?? '').trim() === warning);
}

/** A status that was deleted is not the item. Of one that is there, a server without `source` does not say what was sent. */
async function isGone(session: Session, path: string): Answer<false> {
  const seen = await ask(
    session,
    dialect,
    { method: 'GET', path, effect: 'read' },
    status,
    (_words, { status: code }) => (code === 404 ? ok(null) : undefined),
  );
  if (!seen.ok) return seen;
  return seen.value === null
    ? ok(false)
    : refuse('platform.outcome_unknown', 'The server does not show the text of a status as it was sent.');
}

/** Where there is no text, the server makes the content warning the text (`PostStatusService`). */
function asKept(item: PublishItem): { readonly text: string; readonly warning: string } {
  const text = finalText(item).trim();
  const warning = (optionsOf(item).spoiler_text ?? '').trim();
  return text === '' ? { text: warning, warning: '' } : { text, warning };
}
