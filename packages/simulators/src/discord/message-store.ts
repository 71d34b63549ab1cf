import { objectStore, snowflakes, type StoredObject } from '../wire/object-store.js';
import type { Read } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { sha256Of } from '../wire/sha256.js';
import type { readMessage } from './read-message.js';

/** The author: a bot, or a webhook with its own name. */
export interface DiscordAuthor {
  readonly id: string;
  readonly name: string;
  readonly isWebhook: boolean;
}

/** An embed of the author, as opposed to one that Discord generates for a link. */
export interface DiscordEmbed {
  readonly title: string;
  readonly url: string | null;
}

export interface DiscordMessage extends Omit<Read<typeof readMessage>, 'enforcesNonce'>, StoredObject {
  readonly channelId: string;
  readonly author: DiscordAuthor;
}

const EPOCH_MS = 1_420_070_400_000n;
const NONCE_MS = 3 * 60_000;

export const attachmentOf = ({ fileName, type, bytes }: FormFile, description: string | null) => ({
  fileName,
  type,
  bytes: bytes.length,
  description,
  sha256: sha256Of(bytes),
});
export type DiscordAttachment = ReturnType<typeof attachmentOf>;

/** All messages ever created, including deleted ones. An ID encodes its creation time. */
export function messageStore(now: () => Date) {
  const { all, createdCount, create, find, edit, edits, remove, list } = objectStore<DiscordMessage>(
    now,
    snowflakes(EPOCH_MS),
  );
  return {
    createdCount,
    find(channelId: string, id: string): DiscordMessage | null {
      const found = find(id);
      return found?.channelId === channelId ? found : null;
    },
    /** Created within the last minutes by the same author with the same nonce, deleted or not. */
    sameNonce: ({ author, nonce }: Pick<DiscordMessage, 'author' | 'nonce'>) =>
      all.find(
        (one) =>
          one.author.id === author.id &&
          one.nonce === nonce &&
          now().getTime() - one.createdAt.getTime() < NONCE_MS,
      ) ?? null,
    send: create,
    edit,
    edits,
    remove,
    /** Newest first. */
    of: (channel: string) => list(({ channelId }) => channelId === channel),
  };
}

export type MessageStore = ReturnType<typeof messageStore>;
