import {
  ok,
  refuse,
  type PublishedPart,
  type PublishItem,
  type PublishMedia,
  type Publishing,
  type Session,
} from '@switchboard/platform-kit';
import { anyResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { discardIfRefused, openReceipt, type PartReceipt } from '@switchboard/platform-kit/part-receipt';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import {
  commentExists,
  findComment,
  isCommentEdited,
  explainVideoNotFound,
  createComment,
} from './commenting.js';
import { findVideo } from './find-video.js';
import { statusOf } from './metadata.js';
import { optionsOf, rules } from './rules.js';
import { uploadVideo } from './upload.js';
import {
  endedRefusal,
  outcomeUnknown,
  readVideo,
  restrictedRefusal,
  waitUntilDecided,
  stateOf,
  urlOf,
  videoExists,
  videoPart,
} from './video-state.js';
import {
  identified,
  remove,
  requestJson,
  video,
  type Video,
  describedVideos,
  type DescribedVideo,
} from './wire.js';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) {
      const { externalId: below } = item.replyTo.root;
      const put = await createComment(session, item, below, saveReceipt);
      return put.ok ? ok(commentOf(put.value, below)) : put;
    }
    const videoFile = item.media.find(({ kind }) => kind === 'video');
    const cover = item.media.find(({ kind }) => kind === 'image');
    if (!videoFile)
      return refuse('platform.refused', 'YouTube needs a video. An image is only its thumbnail.');
    const receipt = openReceipt(item, saveReceipt);
    const known = item.receipt['video'];
    if (known !== undefined) return resume(session, item, known, cover, receipt);
    const uploaded = await uploadVideo(session, item, videoFile, receipt);
    if (!uploaded.ok) return uploaded;
    const { id } = uploaded.value;
    await receipt.replace({ video: id });
    if (cover) return makeVisible(session, item, id, cover, receipt);
    return confirmWrite(session, item, uploaded.value, receipt);
  },

  async find(session, item) {
    if (item.replyTo) {
      const { externalId: below } = item.replyTo.root;
      const found = await findComment(session, item, below);
      return found.ok ? ok(found.value === null ? null : commentOf(found.value, below)) : found;
    }
    const found = await findVideo(session, item);
    if (!found.ok || !found.value) return found.ok ? ok(null) : found;
    const { video: seen, isResumable } = found.value;
    // There is no other evidence that a private video has its thumbnail.
    if (item.mediaCount > 1 && item.receipt['covered'] === undefined) return ok(null);
    const state = stateOf(seen, item);
    if (state.state === 'published') return ok(videoPart(seen.id));
    if (state.state === 'processing') {
      return refuse('platform.unavailable', `YouTube is still processing the video ${urlOf(seen.id)}.`);
    }
    // The next attempt continues with this video, and derives its outcome from the response to a write.
    if (isResumable) return ok(null);
    const reason =
      state.state === 'ended' ? endedRefusal(state, seen.id) : restrictedRefusal(state, item, seen.id);
    return refuse('platform.outcome_unknown', reason.failure.message, { platform: reason.failure.platform });
  },

  async edit(session, { externalId: id, receipt }, item) {
    if (receipt['below'] === undefined) return editVideo(session, id, item);
    const edited = await requestJson(
      session,
      {
        method: 'PUT',
        path: '/youtube/v3/comments',
        query: { part: 'snippet' },
        json: { id, snippet: { textOriginal: rules.finalText(item) } },
        effect: 'write',
      },
      identified,
    );
    return edited.ok ? ok() : edited;
  },

  isEdited: (session, { externalId, receipt }, item) =>
    receipt['below'] === undefined
      ? isVideoEdited(session, externalId, item)
      : isCommentEdited(session, externalId, item),

  exists: (session, { externalId, receipt }) =>
    receipt['below'] === undefined ? videoExists(session, externalId) : commentExists(session, externalId),

  remove(session, { externalId: id, receipt }) {
    const what = receipt['below'] === undefined ? 'videos' : 'comments';
    return remove(session, { path: `/youtube/v3/${what}`, query: { id } });
  },
};

async function resume(
  session: Session,
  item: PublishItem,
  id: string,
  cover: PublishMedia | undefined,
  receipt: PartReceipt,
): AdapterResult<PublishedPart> {
  const read = await readVideo(session, id);
  if (!read.ok || !read.value) return outcomeUnknown(id);
  const { state } = stateOf(read.value, item);
  if (state === 'ended') return confirmWrite(session, item, read.value, receipt);
  return cover || state === 'restricted'
    ? makeVisible(session, item, id, cover, receipt)
    : waitUntilDecided(session, item, id);
}

/**
 * Sets the thumbnail of a video that is not visible yet, and sets the video's visibility. Both are
 * repeatable.
 */
async function makeVisible(
  session: Session,
  item: PublishItem,
  id: string,
  cover: PublishMedia | undefined,
  receipt: PartReceipt,
): AdapterResult<PublishedPart> {
  if (cover) {
    const set = await setThumbnail(session, id, cover);
    if (!set.ok) return set;
    await receipt.replace({ video: id, covered: 'yes' });
  }
  const { visibility } = optionsOf(item);
  if (cover && visibility === 'private') return waitUntilDecided(session, item, id);
  const shown = await requestJson(
    session,
    {
      method: 'PUT',
      path: '/youtube/v3/videos',
      query: { part: 'status' },
      json: { id, status: statusOf(item, visibility) },
      effect: 'write',
    },
    video,
    explainVideoNotFound,
  );
  return shown.ok ? confirmWrite(session, item, shown.value, receipt) : shown;
}

/** Compares the response to a write with the request, and waits for the rest. */
async function confirmWrite(
  session: Session,
  item: PublishItem,
  written: Video,
  receipt: PartReceipt,
): AdapterResult<PublishedPart> {
  const seen = stateOf(written, item);
  if (seen.state === 'restricted') return restrictedRefusal(seen, item, written.id);
  if (seen.state !== 'ended')
    return discardIfRefused(receipt, await waitUntilDecided(session, item, written.id));
  return discardIfRefused(receipt, endedRefusal(seen, written.id));
}

const setThumbnail = (session: Session, videoId: string, cover: PublishMedia) =>
  requestJson(
    session,
    {
      method: 'POST',
      path: '/upload/youtube/v3/thumbnails/set',
      query: { videoId, uploadType: 'media' },
      body: { type: cover.type, length: cover.bytes, stream: () => cover.read() },
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(cover.bytes),
    },
    anyResponse,
    explainVideoNotFound,
  );

const commentOf = (id: string, below: string): PublishedPart => ({
  externalId: id,
  url: `${urlOf(below)}&lc=${id}`,
  receipt: { below },
});

const path = '/youtube/v3/videos';

async function readSnippet(session: Session, id: string): AdapterResult<DescribedVideo | null> {
  const read = await requestJson(session, { path, query: { part: 'snippet', id } }, describedVideos);
  return read.ok ? ok(read.value.items.find((one) => one.id === id) ?? null) : read;
}

/**
 * Replaces title and description. An update deletes what its snippet omits, so that the rest is sent as it is.
 * https://developers.google.com/youtube/v3/docs/videos/update
 */
async function editVideo(session: Session, id: string, item: PublishItem): AdapterResult<undefined> {
  const found = await readSnippet(session, id);
  if (!found.ok) return found;
  if (found.value === null) return refuse('platform.refused', 'YouTube does not list the video any more.');
  const { snippet: kept } = found.value;
  const snippet = { ...kept, title: item.title ?? kept.title, description: rules.finalText(item) };
  const edited = await requestJson(
    session,
    { method: 'PUT', path, query: { part: 'snippet' }, json: { id, snippet }, effect: 'write' },
    identified,
  );
  return edited.ok ? ok() : edited;
}

async function isVideoEdited(session: Session, id: string, item: PublishItem): AdapterResult<boolean> {
  const found = await readSnippet(session, id);
  if (!found.ok) return found;
  if (found.value === null) return ok(false);
  const { title, description } = found.value.snippet;
  return ok(
    normalizeText(description ?? '') === normalizeText(rules.finalText(item)) &&
      (item.title === null || normalizeText(title) === normalizeText(item.title)),
  );
}
