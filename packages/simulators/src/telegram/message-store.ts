import type { FormFile } from '../wire/read-multipart.js';
import { sha256Of } from '../wire/sha256.js';

export type TelegramMediaKind = 'photo' | 'video' | 'document';

export interface TelegramMessage {
  readonly id: number;
  readonly chatId: number;
  readonly botId: number;
  /** The text, or the caption of its media. */
  readonly text: string;
  readonly medium: TelegramMedium | null;
  /** The media group (album) of the message. */
  readonly groupId: string | null;
  readonly replyTo: number | null;
  readonly silent: boolean;
  readonly isProtected: boolean;
  readonly preview: Readonly<Record<string, unknown>> | null;
  readonly sentAt: Date;
}

export const mediumOf = (kind: TelegramMediaKind, { fileName, type, bytes }: FormFile) => ({
  kind,
  type,
  fileName,
  bytes: bytes.length,
  sha256: sha256Of(bytes),
});
export type TelegramMedium = ReturnType<typeof mediumOf>;

/** All messages ever sent, numbered per chat, including deleted ones. */
export function messageStore(now: () => Date) {
  const all: TelegramMessage[] = [];
  const gone = new Set<TelegramMessage>();
  let sendings = 0;
  let edits = 0;
  const find = (chatId: number, id: number) =>
    all.find((one) => one.chatId === chatId && one.id === id && !gone.has(one)) ?? null;

  return {
    /** The number of sends; an album counts once. */
    createdCount: () => sendings,
    find,
    /** The remaining messages of an album. */
    withOthers(message: TelegramMessage): readonly TelegramMessage[] {
      const { chatId, groupId } = message;
      if (groupId === null) return [message];
      return all.filter((one) => one.chatId === chatId && one.groupId === groupId && !gone.has(one));
    },
    send(
      messages: readonly Omit<TelegramMessage, 'id' | 'groupId' | 'sentAt'>[],
    ): readonly TelegramMessage[] {
      sendings++;
      const sentAt = now();
      const groupId = messages.length > 1 ? String(13_000_000_000_000_000 + sendings) : null;
      return messages.map((message) => {
        const id = 1 + all.filter(({ chatId }) => chatId === message.chatId).length;
        const created = { ...message, id, groupId, sentAt };
        all.push(created);
        return created;
      });
    },
    /** The number of edits that changed a message. */
    edits: () => edits,
    edit(message: TelegramMessage, text: string): TelegramMessage {
      const edited = { ...message, text };
      all[all.indexOf(message)] = edited;
      edits++;
      return edited;
    },
    remove: (message: TelegramMessage) => void gone.add(message),
    of: (chatId: number) => all.filter((one) => one.chatId === chatId && !gone.has(one)),
  };
}

export type MessageStore = ReturnType<typeof messageStore>;
