import {
  ok,
  refuse,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Result,
} from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { findStatus } from './find-status.js';
import { readLimits } from './limits.js';
import { uploadMedia } from './media.js';
import { linkBelow as finalText } from '../kit/link-below.js';
import { optionsOf, rules } from './rules.js';
import { anything, dialect, status, type FoundStatus } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    const media = await uploadMedia(session, item, remember);
    if (!media.ok) return media;
    const posted = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: '/api/v1/statuses',
        headers: { 'idempotency-key': item.reference },
        json: {
          status: finalText(item),
          ...optionsOf(item),
          ...(item.answers && { in_reply_to_id: item.answers.parent.externalId }),
          ...(media.value.length > 0 && { media_ids: media.value }),
        },
        effect: 'write',
      },
      status,
    );
    return posted.ok ? asRequested(posted.value, item) : posted;
  },

  async find(session, item) {
    const found = await findStatus(session, item);
    if (!found.ok || !found.value) return found.ok ? ok(null) : found;
    return asRequested(found.value, item);
  },

  async remove(session, { externalId }) {
    if (externalId === null) return ok();
    const removed = await ask(
      session,
      dialect,
      { method: 'DELETE', path: `/api/v1/statuses/${encodeURIComponent(externalId)}`, effect: 'idempotent' },
      anything,
      (_words, { status: code }) => (code === 404 ? ok() : undefined),
    );
    return removed.ok ? ok() : removed;
  },

  options: readLimits,
};

/** A server may show a status to fewer or to more people than was asked for: then a person decides, and nothing is sent again. */
function asRequested(
  made: FoundStatus,
  item: PublishItem,
): Result<PublishedPart, 'platform.outcome_unknown'> {
  const { visibility: wanted } = optionsOf(item);
  if (wanted === undefined || made.visibility == null || made.visibility === wanted) return ok(part(made));
  const where = made.url ?? made.uri ?? made.id;
  return refuse(
    'platform.outcome_unknown',
    `The server published ${where} with the visibility ${made.visibility} instead of ${wanted}. Decide whether it may stay.`,
  );
}

const part = ({ id, url, uri }: FoundStatus): PublishedPart => ({
  externalId: id,
  url: url ?? uri ?? null,
  receipt: uri ? { uri } : {},
});
