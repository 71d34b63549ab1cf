import type { MastodonAttachment } from './media-store.js';

export interface MastodonStatus {
  readonly id: string;
  readonly accountId: string;
  readonly text: string;
  readonly inReplyToId: string | null;
  readonly media: readonly MastodonAttachment[];
  readonly spoilerText: string;
  readonly sensitive: boolean;
  readonly visibility: string;
  readonly language: string | null;
  readonly application: string;
  readonly createdAt: Date;
}

const KEY_LIVES_MS = 60 * 60_000;
const LINK = /(?<![A-Za-z0-9@$#])https?:\/\/[^\s<>()]+[^\s<>()?!*"'.,:;]/gu;
const MENTION = /(?<![=/\p{L}\p{N}_])@([a-z0-9_]+)@[a-z0-9.-]+[a-z0-9]/giu;

/** All statuses ever posted on an instance. */
export function statusStore(now: () => Date) {
  const all: MastodonStatus[] = [];
  const gone = new Set<string>();
  const keys = new Map<string, { readonly status: MastodonStatus; readonly until: number }>();
  const living = () => all.filter(({ id }) => !gone.has(id));

  return {
    /** The number of statuses ever created. */
    createdCount: () => all.length,
    /** The same idempotency key within an hour returns the same status, regardless of the content. */
    underKey(accountId: string, key: string): MastodonStatus | null {
      const stored = keys.get(`${accountId} ${key}`);
      return stored && stored.until > now().getTime() ? stored.status : null;
    },
    post(status: Omit<MastodonStatus, 'id' | 'createdAt'>, key: string): MastodonStatus {
      const createdAt = now();
      const created = { ...status, id: String(115_000_000_000_000_000n + BigInt(all.length)), createdAt };
      all.push(created);
      if (key !== '') {
        keys.set(`${status.accountId} ${key}`, {
          status: created,
          until: createdAt.getTime() + KEY_LIVES_MS,
        });
      }
      return created;
    },
    find: (id: string) => living().find((status) => status.id === id) ?? null,
    remove: (id: string) => void gone.add(id),
    /** Newest first. */
    of: (accountId: string) =>
      living()
        .filter((status) => status.accountId === accountId)
        .reverse(),
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
