import { ok, refuse } from '@switchboard/domain';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { findRecentPosts, type ListedPage } from '../kit/find-recent-posts.js';
import { normalizeLink } from '../kit/normalize-link.js';
import { normalizeText } from '../kit/normalize-text.js';
import { boardOf, rules } from './rules.js';
import { requestJson, listOf, pin, type ListedPin } from './wire.js';

const PAGE = 250;
const PAGES_MAX = 8;
/** A page of carousels with every size of their images stays below this size. */
const BYTES_MAX = 8 * 1024 * 1024;

/**
 * The account's pin that is this item: created since it was due, on its board, with the same text and link.
 * Null: there is none.
 */
export async function findPin(session: Session, item: PublishItem): AdapterResult<ListedPin | null> {
  const recent = await findRecentPosts(item, (bookmark) => listPins(session, bookmark), {
    pagesMax: PAGES_MAX,
    newestFirst: 'if_seen',
    createdAtOf,
  });
  if (!recent.ok) return recent;
  const near = recent.value.filter((one) => isCandidate(one, item));
  const [only, ...others] = near.filter((one) => matchesItem(one, item));
  // Without text, images cannot be distinguished.
  const isCertain = only && others.length === 0 && textsOfItem(item).some((words) => words !== '');
  if (isCertain) return ok(only);
  return near.length > 0
    ? refuse('platform.outcome_unknown', 'Several pins of the account may be this one.')
    : ok(null);
}

async function listPins(
  session: Session,
  bookmark: string | undefined,
): AdapterResult<ListedPage<ListedPin>> {
  const query = { page_size: PAGE, include_protected_pins: true, bookmark };
  const listed = await requestJson(
    session,
    { method: 'GET', path: '/v5/pins', query, effect: 'read', maxBytes: BYTES_MAX },
    listOf(pin),
  );
  return listed.ok ? ok({ found: listed.value.items, next: listed.value.bookmark || undefined }) : listed;
}

/** UTC, without a time zone designator. */
export const createdAtOf = ({ created_at: time }: Pick<ListedPin, 'created_at'>): string =>
  /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`;

/**
 * It may be the item: on its board, or on an unreported one, with the same title, text or link; or without
 * text, if none was sent.
 */
function isCandidate(one: ListedPin, item: PublishItem): boolean {
  const [sent, listed] = [
    [...textsOfItem(item), normalizeLink(item.link)],
    [...textsOfPin(one), normalizeLink(one.link)],
  ];
  if (one.board_id != null && one.board_id !== boardOf(item).board) return false;
  return sent.every((part) => part === '')
    ? textsOfPin(one).every((words) => words === '')
    : sent.some((part, at) => part !== '' && part === listed[at]);
}

/** It equals the item in everything that is listed. */
const matchesItem = (one: ListedPin, item: PublishItem): boolean =>
  one.board_id === boardOf(item).board &&
  textsOfItem(item).every((words, at) => words === textsOfPin(one)[at]) &&
  normalizeLink(one.link) === normalizeLink(item.link) &&
  (one.board_section_id || null) === (boardOf(item).section ?? null) &&
  mediaCountOf(one) === item.mediaCount;

function mediaCountOf({ media }: ListedPin): number | null {
  if (media?.media_type === 'image' || media?.media_type === 'video') return 1;
  return media?.items?.length ?? null;
}

const textsOfItem = (item: PublishItem): readonly string[] =>
  [item.title ?? '', rules.finalText(item)].map(normalizeText);
const textsOfPin = ({ title, description }: ListedPin): readonly string[] =>
  [title ?? '', description ?? ''].map(normalizeText);
