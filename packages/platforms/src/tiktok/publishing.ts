import { ok, refuse, type Publishing, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { begin } from './begin-post.js';
import { accountOptionsOf, askCreator } from './creator.js';
import { findPhotos } from './find-post.js';
import { sendFilm, type Begun } from './media.js';
import { doubt, look, lost, partOf, settled, type Seen } from './post-status.js';
import { rules } from './rules.js';
import { dialect } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    const before = await begunBefore(session, item);
    if (!before.ok) return before;
    const begun = before.value ? ok(before.value) : await begin(session, item, remember);
    if (!begun.ok) return begun;
    const [film] = item.media;
    const sent = film?.kind === 'video' ? await sendFilm(session, film, begun.value, remember) : ok();
    return sent.ok ? settled(session, begun.value.publishId) : sent;
  },

  async find(session, item) {
    const { publish_id: publishId, sent, bytes: total = '' } = item.receipt;
    if (publishId === undefined) return sent === undefined ? ok(null) : findPhotos(session, item);
    const seen = await look(session, publishId);
    if (!seen.ok) return seen;
    if (!seen.value) return sent === undefined ? ok(null) : lost();
    if (seen.value.state === 'out') return ok(partOf(session, publishId, seen.value.postId));
    if (seen.value.state === 'failed') return ok(null);
    // Without its last chunk it is not posted; an attempt that goes on sends that to the same place.
    const isHalf = bytesThere(seen.value, item) < Number(total);
    return isHalf ? ok(null) : refuse('platform.unavailable', 'TikTok is still working on this post.');
  },

  async locate(session, { externalId }) {
    const seen = await look(session, externalId);
    if (!seen.ok) return seen;
    return ok(seen.value?.state === 'out' ? partOf(session, externalId, seen.value.postId) : null);
  },

  async options(session) {
    const creator = await askCreator(session);
    return creator.ok ? ok(accountOptionsOf(creator.value)) : creator;
  },
};

/** What an earlier attempt began and may still come out; null: nothing. */
async function begunBefore(session: Session, item: PublishItem): Answer<Begun | null> {
  const { publish_id: publishId, upload_url: url = '', sent } = item.receipt;
  if (publishId === undefined) return ok(null);
  const seen = await look(session, publishId);
  if (!seen.ok) {
    if (sent !== undefined) return doubt(seen);
    return beforeSending(dialect, seen, 'how much of the film is there. Nothing was posted.');
  }
  if (!seen.value) return sent === undefined ? ok(null) : lost();
  if (seen.value.state === 'failed') return ok(null);
  return ok({ publishId, url, from: seen.value.state === 'out' ? Infinity : bytesThere(seen.value, item) });
}

/** Where TikTok does not say, a film that may be whole is not sent again. */
const bytesThere = (
  { bytes }: Extract<Seen, { state: 'under_way' }>,
  { receipt }: Pick<PublishItem, 'receipt'>,
): number => bytes ?? (receipt['sent'] === undefined ? 0 : Infinity);
