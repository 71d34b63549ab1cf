import { numbersFrom, objectStore, type NewObject, type StoredObject } from '../wire/object-store.js';
import type { MastodonAttachment } from './media-store.js';

export interface MastodonStatus extends StoredObject {
  readonly accountId: string;
  readonly text: string;
  readonly inReplyToId: string | null;
  readonly media: readonly MastodonAttachment[];
  readonly spoilerText: string;
  readonly sensitive: boolean;
  readonly visibility: string;
  readonly language: string | null;
  readonly application: string;
}

const KEY_LIVES_MS = 60 * 60_000;
const LINK = /(?<![A-Za-z0-9@$#])https?:\/\/[^\s<>()]+[^\s<>()?!*"'.,:;]/gu;
const MENTION = /(?<![=/\p{L}\p{N}_])@([a-z0-9_]+)@[a-z0-9.-]+[a-z0-9]/giu;

/** What others did with a status: every one has some of each. */
const FIRST_COUNTS = { replies: 2, reblogs: 4, favourites: 3 };
export type StatusCounts = Readonly<typeof FIRST_COUNTS>;

/** All statuses ever posted on an instance. */
export function statusStore(now: () => Date) {
  const statuses = objectStore<MastodonStatus>(now, numbersFrom(115_000_000_000_000_000n));
  const keys = new Map<string, MastodonStatus>();
  const counts = new Map<string, StatusCounts>();

  return {
    ...statuses,
    /** The same idempotency key within an hour returns the same status, regardless of the content. */
    underKey(accountId: string, key: string): MastodonStatus | null {
      const stored = keys.get(`${accountId} ${key}`);
      return stored && stored.createdAt.getTime() + KEY_LIVES_MS > now().getTime() ? stored : null;
    },
    countsOf: (id: string): StatusCounts => counts.get(id) ?? FIRST_COUNTS,
    /** Others liked, replied to or shared the status, or took that back. */
    engage(id: string, change: Partial<StatusCounts>): void {
      const before = counts.get(id) ?? FIRST_COUNTS;
      const after = Object.entries(before).map(([name, count]) => [
        name,
        count + (change[name as keyof StatusCounts] ?? 0),
      ]);
      counts.set(id, Object.fromEntries(after) as StatusCounts);
    },
    post(status: NewObject<MastodonStatus>, key: string): MastodonStatus {
      const created = statuses.create(status);
      if (key !== '') keys.set(`${status.accountId} ${key}`, created);
      return created;
    },
  };
}

export type StatusStore = ReturnType<typeof statusStore>;

/**
 * The server's character count: visible text, every link as 23, for a mention only the name before its
 * server.
 */
export function lengthOf(spoilerText: string, text: string): number {
  const counted = spoilerText + text.replace(LINK, 'x'.repeat(23)).replace(MENTION, '@$1');
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(counted)].length;
}
