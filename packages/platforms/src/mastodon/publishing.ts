import {
  ok,
  refuse,
  type Result,
  type PublishedPart,
  type Publishing,
  type PublishItem,
} from '@switchboard/platform-kit';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { findStatus, hasSameText, statusPath } from './find-status.js';
import { readLimits } from './limits.js';
import { uploadMedia } from './media.js';
import { appendLink as finalText } from '@switchboard/platform-kit/append-link';
import { optionsOf, rules } from './rules.js';
import { exists, type FoundStatus, keptWithEdit, remove, requestJson, status } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const media = await uploadMedia(session, item, openReceipt(item, saveReceipt));
    if (!media.ok) return media;
    const posted = await requestJson(
      session,
      {
        method: 'POST',
        path: '/api/v1/statuses',
        headers: { 'idempotency-key': item.reference },
        json: {
          status: finalText(item),
          ...optionsOf(item),
          ...(item.replyTo && { in_reply_to_id: item.replyTo.parent.externalId }),
          ...(media.value.length > 0 && { media_ids: media.value }),
        },
        effect: 'write',
      },
      status,
    );
    return posted.ok ? verifyVisibility(posted.value, item) : posted;
  },

  async find(session, item) {
    const found = await findStatus(session, item);
    if (!found.ok || !found.value) return found.ok ? ok(null) : found;
    return verifyVisibility(found.value, item);
  },

  /** A private status is a 404 too, but not for its author. https://docs.joinmastodon.org/methods/statuses/#get */
  exists: (session, { externalId }) => exists(session, statusPath(externalId), status),

  /**
   * Everything that is not sent is reset, the media included: those are read first.
   * https://docs.joinmastodon.org/methods/statuses/#edit
   */
  async edit(session, { externalId }, item) {
    const path = statusPath(externalId);
    const kept = item.mediaCount > 0 ? await requestJson(session, path, keptWithEdit) : ok(null);
    if (!kept.ok) return kept;
    const { visibility: _, ...options } = optionsOf(item);
    const edited = await requestJson(
      session,
      {
        method: 'PUT',
        path,
        json: {
          status: finalText(item),
          ...options,
          ...(kept.value && {
            sensitive: kept.value.sensitive,
            media_ids: kept.value.media_attachments.map(({ id }) => id),
          }),
        },
        effect: 'write',
      },
      status,
    );
    return edited.ok ? ok() : edited;
  },

  isEdited: (session, { externalId }, item) => hasSameText(session, externalId, item),

  async remove(session, { externalId }) {
    return externalId === null ? ok() : remove(session, { path: statusPath(externalId) });
  },

  options: readLimits,
};

/**
 * A server may show a status to fewer or more people than requested: then an operator decides, and nothing is
 * sent again.
 */
function verifyVisibility(
  created: FoundStatus,
  item: PublishItem,
): Result<PublishedPart, 'platform.outcome_unknown'> {
  const { visibility: requested } = optionsOf(item);
  if (requested === undefined || created.visibility == null || created.visibility === requested)
    return ok(part(created));
  const where = created.url ?? created.uri ?? created.id;
  return refuse(
    'platform.outcome_unknown',
    `The server published ${where} with visibility ${created.visibility} instead of ${requested}. Keep it or delete it.`,
  );
}

const part = ({ id, url, uri }: FoundStatus): PublishedPart => ({
  externalId: id,
  url: url ?? uri ?? null,
  receipt: uri ? { uri } : {},
});
