import { ok, refuse, type Publishing, type PublishItem, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { startPost } from './start-post.js';
import { accountOptionsOf, fetchCreator } from './creator.js';
import { findPhotos } from './find-post.js';
import { uploadVideo, type StartedPost } from './media.js';
import {
  toOutcomeUnknown,
  getPostStatus,
  postUnknown,
  partOf,
  waitUntilDecided,
  type PostStatus,
} from './post-status.js';
import { rules } from './rules.js';
import { errorMapping } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const before = await findStartedPost(session, item);
    if (!before.ok) return before;
    const started = before.value ? ok(before.value) : await startPost(session, item, saveReceipt);
    if (!started.ok) return started;
    const [film] = item.media;
    const sent = film?.kind === 'video' ? await uploadVideo(session, film, started.value, saveReceipt) : ok();
    return sent.ok ? waitUntilDecided(session, started.value.publishId) : sent;
  },

  async find(session, item) {
    const { publish_id: publishId, sent, bytes: total = '' } = item.receipt;
    if (publishId === undefined) return sent === undefined ? ok(null) : findPhotos(session, item);
    const seen = await getPostStatus(session, publishId);
    if (!seen.ok) return seen;
    if (!seen.value) return sent === undefined ? ok(null) : postUnknown();
    if (seen.value.state === 'out') return ok(partOf(session, publishId, seen.value.postId));
    if (seen.value.state === 'failed') return ok(null);
    // Without its last chunk it is not posted; a resumed attempt sends that to the same URL.
    const isHalf = uploadedBytesOf(seen.value, item) < Number(total);
    return isHalf ? ok(null) : refuse('platform.unavailable', 'TikTok is still processing this post.');
  },

  async resolvePublishedUrl(session, { externalId }) {
    const seen = await getPostStatus(session, externalId);
    if (!seen.ok) return seen;
    return ok(seen.value?.state === 'out' ? partOf(session, externalId, seen.value.postId) : null);
  },

  async options(session) {
    const creator = await fetchCreator(session);
    return creator.ok ? ok(accountOptionsOf(creator.value)) : creator;
  },
};

/** The post that an earlier attempt started and that may still be published; null: none. */
async function findStartedPost(session: Session, item: PublishItem): AdapterResult<StartedPost | null> {
  const { publish_id: publishId, upload_url: url = '', sent } = item.receipt;
  if (publishId === undefined) return ok(null);
  const seen = await getPostStatus(session, publishId);
  if (!seen.ok) {
    if (sent !== undefined) return toOutcomeUnknown(seen);
    return mapFailureBeforeSend(
      errorMapping,
      seen,
      'how much of the video was received. Nothing was posted.',
    );
  }
  if (!seen.value) return sent === undefined ? ok(null) : postUnknown();
  if (seen.value.state === 'failed') return ok(null);
  return ok({
    publishId,
    url,
    from: seen.value.state === 'out' ? Infinity : uploadedBytesOf(seen.value, item),
  });
}

/** If TikTok does not report it, a video that may be complete is not sent again. */
const uploadedBytesOf = (
  { bytes }: Extract<PostStatus, { state: 'under_way' }>,
  { receipt }: Pick<PublishItem, 'receipt'>,
): number => bytes ?? (receipt['sent'] === undefined ? 0 : Infinity);
