import { ok, refuse, type PublishedPart, type Publishing, type Session } from '@switchboard/domain';
import { ask, isGone, isWebhook, placeOf } from './ask.js';
import { findMessage } from './find-message.js';
import { messageOf } from './message-of.js';
import { rules } from './rules.js';
import { anything, message } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item) {
    const byWebhook = isWebhook(session);
    if (byWebhook && item.answers) {
      return refuse(
        'platform.refused',
        'A webhook of Discord’s cannot answer a message. Connect a bot for that.',
      );
    }
    const posted = await ask(
      session,
      {
        method: 'POST',
        ...(byWebhook
          ? { path: placeOf(session), query: { wait: true } }
          : { path: `${placeOf(session)}/messages` }),
        ...messageOf(item, !byWebhook),
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
    const path = `${placeOf(session)}/messages/${encodeURIComponent(externalId)}`;
    const removed = await ask(session, { method: 'DELETE', path, effect: 'idempotent' }, anything, (words) =>
      isGone(words) ? ok() : undefined,
    );
    return removed.ok ? ok() : removed;
  },
};

/** Below the channel's own address, which tells the server too: a message does not. */
const partOf = ({ account }: Session, id: string): PublishedPart => ({
  externalId: id,
  url: account.url === null ? null : `${account.url}/${id}`,
  receipt: {},
});
