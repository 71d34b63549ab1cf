import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import { nullIfNotFound, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { localId } from './account-id.js';
import { appendLink as finalText } from '@switchboard/platform-kit/append-link';
import { uploadedMediaIds } from '@switchboard/platform-kit/resumable-uploads';
import {
  findRecentPosts,
  resolveSingleMatchWithOptions,
  type ListedPage,
} from '@switchboard/platform-kit/find-recent-posts';
import { optionsOf } from './rules.js';
import { type ListedStatus, requestJson, source, status, statuses } from './wire.js';

export const statusPath = (id: string): string => `/api/v1/statuses/${encodeURIComponent(id)}`;

const PAGE = 40;
const PAGES_MAX = 5;

/**
 * The account's status that is this item: created since it was due, with the exact same text, in the same
 * place. Null: there is none.
 */
export async function findStatus(session: Session, item: PublishItem): AdapterResult<ListedStatus | null> {
  const recent = await findRecentPosts(item, (before) => statusesBefore(session, before), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: (status) => status.created_at,
  });
  if (!recent.ok) return recent;
  const same: ListedStatus[] = [];
  for (const candidate of recent.value.filter((status) => hasSameParent(status, item))) {
    const matches = await hasSameText(session, candidate.id, item);
    if (!matches.ok) return matches;
    if (matches.value) same.push(candidate);
  }
  return resolveSingleMatchWithOptions(same, (status) => hasRequestedOptions(status, item));
}

async function statusesBefore(
  session: Session,
  before: string | undefined,
): AdapterResult<ListedPage<ListedStatus>> {
  const listed = await requestJson(
    session,
    {
      path: `/api/v1/accounts/${localId(session)}/statuses`,
      query: { limit: PAGE, exclude_reblogs: true, max_id: before },
    },
    statuses,
  );
  // A server may return fewer than requested, so that only an empty page is the end.
  return listed.ok ? ok({ found: listed.value, next: listed.value.at(-1)?.id }) : listed;
}

/** It replies to the same status as the item, or to none, and has as many media. */
const hasSameParent = (status: ListedStatus, { replyTo, mediaCount }: PublishItem): boolean =>
  (status.in_reply_to_id ?? null) === (replyTo?.parent.externalId ?? null) &&
  (status.media_attachments ?? []).length === mediaCount;

/**
 * With the requested sensitive flag and language, and with the item's own uploads. `find` itself compares the
 * visibility.
 */
function hasRequestedOptions(
  { sensitive, language, media_attachments: shown }: ListedStatus,
  item: PublishItem,
): boolean {
  const requested = optionsOf(item);
  const media = uploadedMediaIds(item) ?? [];
  const isMarked = item.mediaCount > 0 || (requested.spoiler_text ?? '') !== '';
  return (
    // The account's own settings may mark media, and a content warning marks every status.
    (sensitive == null || isMarked || sensitive === (requested.sensitive ?? false)) &&
    // A server may return the language without the region.
    (language == null ||
      requested.language === undefined ||
      language.split('-')[0] === requested.language.split('-')[0]) &&
    media.every((id) => shown.some((one) => one.id === id))
  );
}

/** Servers return HTML; the source text is stored separately, trimmed. */
export async function hasSameText(session: Session, id: string, item: PublishItem): AdapterResult<boolean> {
  const path = statusPath(id);
  const stored = await requestJson(session, `${path}/source`, source, nullIfNotFound);
  if (!stored.ok) return stored;
  if (stored.value === null) return confirmDeleted(session, path);
  const { text, warning } = storedTextOf(item);
  return ok(stored.value.text.trim() === text && (stored.value.spoiler_text ?? '').trim() === warning);
}

/**
 * A deleted status is not the item. For an existing one, a server without `source` does not return the
 * original text.
 */
async function confirmDeleted(session: Session, path: string): AdapterResult<false> {
  const seen = await requestJson(session, path, status, nullIfNotFound);
  if (!seen.ok) return seen;
  return seen.value === null
    ? ok(false)
    : refuse('platform.outcome_unknown', 'The server does not return the original text of the status.');
}

/** For a status without a text, the server uses the content warning as the text (`PostStatusService`). */
function storedTextOf(item: PublishItem): { readonly text: string; readonly warning: string } {
  const text = finalText(item).trim();
  const warning = (optionsOf(item).spoiler_text ?? '').trim();
  return text === '' ? { text: warning, warning: '' } : { text, warning };
}
