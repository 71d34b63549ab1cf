import {
  ok,
  quotePlatform,
  refuse,
  type Refusal,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { callMethod } from './client.js';
import { rules } from './rules.js';
import { buildEditCall, buildSendCall } from './send-call.js';
import { album, errorMapping, done, message, movedTo, type Messages } from './wire.js';

/** Returned for an album of which some messages may be published already. */
const PARTIAL_ALBUM = /failed to send message #\d+|group send failed/i;

/** Nothing is read back: a bot cannot read its own messages. */
export const publishing: Publishing = {
  ...rules,

  async publish(session, item) {
    const sent = await sendMessage(session, item, session.account.id);
    if (!sent.ok) return sent;
    return whatIsMissing(sent.value, item) ?? ok(partOf(sent.value));
  },

  /** Telegram refuses an edit that changes nothing, which proves that an earlier attempt was made. */
  async edit(session, { externalId, receipt: { chat = session.account.id } }, item) {
    const { method, json } = buildEditCall(item, chat, externalId);
    const edited = await callMethod(session, method, { json, effect: 'write' }, message, (words) =>
      /message is not modified/i.test(words.message) ? ok() : undefined,
    );
    return edited.ok ? ok() : edited;
  },

  /** One by one: for several at once Telegram reports success even if it has left some. */
  async remove(session, { externalId, receipt }) {
    const { chat = session.account.id, messages = externalId } = receipt;
    for (const id of messages.split(',')) {
      const json = { chat_id: chat, message_id: Number(id) };
      const removed = await callMethod(
        session,
        'deleteMessage',
        { json, effect: 'idempotent' },
        done,
        (words) => (/message to delete not found/i.test(words.message) ? ok() : undefined),
      );
      if (!removed.ok) return removed;
    }
    return ok();
  },
};

/** In a group that has become a supergroup nothing was posted: the request is sent there. */
async function sendMessage(
  session: Session,
  item: PublishItem,
  chatId: string,
  mayHaveMoved = true,
): AdapterResult<Messages> {
  const { method, sent } = buildSendCall(item, chatId);
  const response = await callMethod(
    session,
    method,
    { ...sent, effect: 'write' },
    method === 'sendMediaGroup' ? album : message,
    ({ code, message: words }, { json }) => {
      if (PARTIAL_ALBUM.test(words)) {
        const platform = quotePlatform(errorMapping.name, words, code);
        return refuse('platform.outcome_unknown', 'Part of the album may have been published.', { platform });
      }
      const moved = movedTo(json);
      return moved !== null && mayHaveMoved ? ok(moved) : undefined;
    },
  );
  if (!response.ok) return response;
  return typeof response.value === 'number'
    ? sendMessage(session, item, String(response.value), false)
    : ok(response.value);
}

/** A scheduled message has no ID yet, and an album with fewer messages than media is not the post. */
function whatIsMissing(
  messages: Messages,
  { media }: PublishItem,
): Refusal<'platform.outcome_unknown'> | null {
  if (messages.some(({ message_id: id }) => id === 0))
    return refuse(
      'platform.outcome_unknown',
      'Telegram has accepted the message and sends it later. Check the chat.',
    );
  return messages.length < media.length
    ? refuse(
        'platform.outcome_unknown',
        `Telegram has sent ${messages.length} of ${media.length} messages of the album.`,
      )
    : null;
}

/** An album has as many messages as media, and all of them are its post. */
function partOf(messages: Messages): PublishedPart {
  const [{ message_id: id, chat }] = messages;
  return {
    externalId: String(id),
    url: chat.username ? `https://t.me/${chat.username}/${id}` : null,
    receipt: { chat: String(chat.id), messages: messages.map(({ message_id: one }) => one).join(',') },
  };
}
