import {
  ok,
  refuse,
  type Publishing,
  type PublishItem,
  type PublishMedia,
  type Session,
  type PublishedPart,
} from '@switchboard/platform-kit';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { resumePublishingUpload, type UploadProgress } from '@switchboard/platform-kit/publishing-upload';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { startPost } from './start-post.js';
import { accountOptionsOf, fetchCreator } from './creator.js';
import { manifest } from './manifest.js';
import { chunkAt, sendChunk, uploadedBytesOf } from './media.js';
import { getPostStatus, postUnknown, partOf, waitUntilDecided, urlOf } from './post-status.js';
import { requestJson } from './client.js';
import { rules, optionsOf } from './rules.js';
import { listVideos } from './list-videos.js';
import { identified, type ListedVideo } from './wire.js';

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
    const isUnsent = sent === undefined && !item.isReceiptOutdated;
    if (publishId === undefined) return isUnsent ? ok(null) : findPhotos(session, item);
    const seen = await getPostStatus(session, publishId);
    if (!seen.ok) return seen;
    if (!seen.value) return isUnsent ? ok(null) : postUnknown();
    if (seen.value.state === 'out') return ok(partOf(session, publishId, seen.value.postId));
    if (item.isReceiptOutdated) return postUnknown();
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

  /** TikTok returns only public posts, so that one which it does not return may still exist. */
  async exists(session, { externalId }) {
    const request = { query: { fields: 'id' }, json: { filters: { video_ids: [externalId] } } };
    const read = await requestJson(
      session,
      { method: 'POST', path: '/v2/video/query/', ...request, effect: 'read' },
      identified,
    );
    if (!read.ok) return read;
    return read.value.data.videos?.some(({ id }) => id === externalId)
      ? ok(true)
      : refuse(
          'platform.outcome_unknown',
          'TikTok does not return the post: it was removed, or is not public.',
        );
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

const PAGES_MAX = 5;

/**
 * Photos whose ID never arrived, among the account's public posts. Their absence proves nothing: moderation
 * is asynchronous, and posts that are not public are never listed.
 */
async function findPhotos(session: Session, item: PublishItem): AdapterResult<PublishedPart> {
  const words = normalizeText(rules.finalText(item));
  if (words === '' || optionsOf(item).privacy_level !== 'PUBLIC_TO_EVERYONE') {
    return refuse('platform.outcome_unknown', 'TikTok does not report whether the photos were posted.');
  }
  const recent = await findRecentPosts(item, (cursor) => listVideos(session, cursor), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: (one) => new Date(one.create_time * 1_000).toISOString(),
  });
  if (!recent.ok) return recent;
  const same = recent.value.filter(
    (one) => normalizeText(one.video_description ?? '') === words && !one.share_url?.includes('/video/'),
  );
  const only = resolveSingleMatchWithOptions(same, (one) => hasTitle(one, item));
  if (!only.ok) return only;
  if (!only.value) return refuse('platform.unavailable', 'TikTok does not list these photos yet.');
  const { id, share_url: where } = only.value;
  // Only the URL distinguishes photos from a video.
  return where?.includes('/photo/')
    ? ok({ externalId: id, url: urlOf(session, 'photo', id), receipt: {} })
    : refuse('platform.outcome_unknown', 'TikTok does not report whether a listed post is these photos.');
}

/** With the requested title. Whether TikTok shows a description or nothing in its place is undocumented. */
const hasTitle = ({ title }: ListedVideo, item: PublishItem): boolean =>
  ['', item.title ?? '', rules.finalText(item)].map(normalizeText).includes(normalizeText(title ?? ''));
