import { ok, refuse } from '@switchboard/domain';
import type { Publishing, PublishItem, PublishMedia, Session } from '@switchboard/domain/ports';
import { openReceipt } from '../kit/part-receipt.js';
import type { AdapterResult } from '../kit/platform-client.js';
import { resumePublishingUpload, type UploadProgress } from '../kit/publishing-upload.js';
import { startPost } from './start-post.js';
import { accountOptionsOf, fetchCreator } from './creator.js';
import { findPhotos } from './find-post.js';
import { manifest } from './manifest.js';
import { chunkAt, sendChunk, uploadedBytesOf } from './media.js';
import { getPostStatus, postUnknown, partOf, waitUntilDecided } from './post-status.js';
import { rules } from './rules.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const receipt = openReceipt(item, saveReceipt);
    const [video] = item.media;
    const sent = await resumePublishingUpload(receipt, {
      name: manifest.name,
      // TikTok fetches photos without further requests.
      bytes: video?.kind === 'video' ? video.bytes : 0,
      startedKey: 'publish_id',
      lastChunkKey: 'sent',
      start: () => startPost(session, item, receipt),
      readProgress: () => readProgress(session, receipt.entries),
      chunkAt: (received) => chunkAt(video?.bytes ?? 0, received),
      send: (start, end) => sendChunk(session, video as PublishMedia, receipt.entries, { start, end }),
    });
    return sent.ok ? waitUntilDecided(session, receipt.entries['publish_id'] ?? '') : sent;
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
    const isHalf = uploadedBytesOf(seen.value, item.receipt) < Number(total);
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

/** How much TikTok has of the post that an earlier attempt started. */
async function readProgress(
  session: Session,
  receipt: PublishItem['receipt'],
): AdapterResult<UploadProgress<never> | 'failed'> {
  const seen = await getPostStatus(session, receipt['publish_id'] ?? '');
  if (!seen.ok) return seen;
  if (!seen.value) return ok(null);
  if (seen.value.state === 'failed') return ok('failed');
  return ok({ received: seen.value.state === 'out' ? Infinity : uploadedBytesOf(seen.value, receipt) });
}
