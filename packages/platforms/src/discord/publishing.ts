import { ok, refuse } from '@switchboard/domain';
import type { PublishedPart, Publishing, Session } from '@switchboard/domain/ports';
import { requestJson, isUnknownMessage, isWebhook, messagesPathOf } from './client.js';
import { findMessage } from './find-message.js';
import { buildMessage } from './build-message.js';
import { rules } from './rules.js';
import { anything, message } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item) {
    const byWebhook = isWebhook(session);
    if (byWebhook && item.replyTo) {
      return refuse(
        'platform.refused',
        'A Discord webhook cannot reply to a message. Connect a bot to reply.',
      );
    }
    const posted = await requestJson(
      session,
      {
        method: 'POST',
        ...(byWebhook
          ? { path: messagesPathOf(session), query: { wait: true } }
          : { path: `${messagesPathOf(session)}/messages` }),
        ...buildMessage(item, !byWebhook),
        effect: 'write',
      },
      message,
    );
    return posted.ok ? ok(partOf(session, posted.value.id)) : posted;
  },

  async find(session, item) {
    const found = await findMessage(session, item);
    return found.ok ? ok(found.value && partOf(session, found.value.id)) : found;
  },

  async remove(session, { externalId }) {
    const path = `${messagesPathOf(session)}/messages/${encodeURIComponent(externalId)}`;
    const removed = await requestJson(
      session,
      { method: 'DELETE', path, effect: 'idempotent' },
      anything,
      (words) => (isUnknownMessage(words) ? ok() : undefined),
    );
    return removed.ok ? ok() : removed;
  },
};

/** Below the channel's own URL, which contains the server too: a message does not. */
const partOf = ({ account }: Session, id: string): PublishedPart => ({
  externalId: id,
  url: account.url === null ? null : `${account.url}/${id}`,
  receipt: {},
});
