import { createHash } from 'node:crypto';
import type { FormFile } from '../wire/read-multipart.js';

export interface DiscordAttachment {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly description: string | null;
}

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

export interface DiscordMessage {
  readonly id: string;
  readonly channelId: string;
  readonly author: DiscordAuthor;
  readonly content: string;
  readonly attachments: readonly DiscordAttachment[];
  readonly embeds: readonly DiscordEmbed[];
  readonly replyTo: string | null;
  readonly flags: number;
  /** Allowed mentions: `users`, `roles`, `everyone`. */
  readonly calls: readonly string[];
  readonly nonce: string | null;
  readonly sentAt: Date;
}

const EPOCH_MS = 1_420_070_400_000n;
const NONCE_MS = 3 * 60_000;

export const attachmentOf = ({ fileName, type, bytes }: FormFile, description: string | null) => ({
  fileName,
  type,
  bytes: bytes.length,
  description,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** All messages ever created, including deleted ones. An ID encodes its creation time. */
export function messageStore(now: () => Date) {
  const all: DiscordMessage[] = [];
  const gone = new Set<string>();
  const living = () => all.filter(({ id }) => !gone.has(id));
  const snowflake = (at: Date) => ((BigInt(at.getTime()) - EPOCH_MS) << 22n) + BigInt(all.length % 4_096);

  return {
    createdCount: () => all.length,
    find: (channelId: string, id: string) =>
      living().find((one) => one.id === id && one.channelId === channelId) ?? null,
    /** Created within the last minutes by the same author with the same nonce, deleted or not. */
    sameNonce: ({ author, nonce }: Pick<DiscordMessage, 'author' | 'nonce'>) =>
      all.find(
        (one) =>
          one.author.id === author.id &&
          one.nonce === nonce &&
          now().getTime() - one.sentAt.getTime() < NONCE_MS,
      ) ?? null,
    send(message: Omit<DiscordMessage, 'id' | 'sentAt'>): DiscordMessage {
      const sentAt = now();
      const created = { ...message, id: String(snowflake(sentAt)), sentAt };
      all.push(created);
      return created;
    },
    remove: (id: string) => void gone.add(id),
    of: (channelId: string) => living().filter((one) => one.channelId === channelId),
  };
}

export type MessageStore = ReturnType<typeof messageStore>;
