import {
  ok,
  refuse,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { boardOptions } from './boards.js';
import { pinWithMedia } from './media.js';
import { boardOf, rules } from './rules.js';
import { requestJson, created, exists, listOf, pin, remove, type ListedPin } from './wire.js';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { createdAtOf } from './created-at-of.js';
import { findRecentPosts, type ListedPage } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeLink } from '@switchboard/platform-kit/normalize-link';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const body = await pinWithMedia(session, item, fieldsOf(item), saveReceipt);
    if (!body.ok) return body;
    const pinned = await requestJson(
      session,
      {
        method: 'POST',
        path: '/v5/pins',
        effect: 'write',
        // Images are part of the request, whose timeout depends on their size.
        body: body.value,
        deadlineSeconds: uploadTimeoutSeconds(body.value.length),
      },
      created,
    );
    return pinned.ok ? ok(partOf(pinned.value.id)) : pinned;
  },

  async find(session, item) {
    const found = await findPin(session, item);
    return found.ok ? ok(found.value && partOf(found.value.id)) : found;
  },

  exists: (session, { externalId }) => exists(session, pinPath(externalId), created),
  remove: (session, { externalId }) => remove(session, { path: pinPath(externalId) }),

  async options(session) {
    const options = await boardOptions(session);
    return options.ok ? ok({ options: options.value }) : options;
  },
};

const pinPath = (id: string): string => `/v5/pins/${encodeURIComponent(id)}`;

function fieldsOf(item: PublishItem) {
  const { board, section } = boardOf(item);
  const description = rules.finalText(item);
  return {
    board_id: board,
    ...(section !== undefined && { board_section_id: section }),
    ...(item.title && { title: item.title }),
    ...(description !== '' && { description }),
    ...(item.link !== null && { link: item.link }),
  };
}

const partOf = (id: string): PublishedPart => ({
  externalId: id,
  url: `https://www.pinterest.com/pin/${id}/`,
  receipt: {},
});

const PAGE = 250;
const PAGES_MAX = 8;
/** A page of carousels with every size of their images stays below this size. */
const BYTES_MAX = 8 * 1024 * 1024;

/**
 * The account's pin that is this item: created since it was due, on its board, with the same text and link.
 * Null: there is none.
 */
async function findPin(session: Session, item: PublishItem): AdapterResult<ListedPin | null> {
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
  const listed = await requestJson(session, { path: '/v5/pins', query, maxBytes: BYTES_MAX }, listOf(pin));
  return listed.ok ? ok({ found: listed.value.items, next: listed.value.bookmark || undefined }) : listed;
}

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
