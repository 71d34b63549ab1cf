import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type PublishItem,
  type PublishMedia,
  type Publishing,
  type Remember,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { findComment, notKnownYet, putComment } from './commenting.js';
import { findVideo } from './find-video.js';
import { statusOf } from './metadata.js';
import { optionsOf, rules } from './rules.js';
import { uploadFilm } from './upload.js';
import {
  endedAs,
  inDoubt,
  readVideo,
  restrictedTo,
  settled,
  stateOf,
  urlOf,
  videoPart,
} from './video-state.js';
import { anything, ask, video, type Video } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    if (item.answers) {
      const { externalId: below } = item.answers.root;
      const put = await putComment(session, item, below, remember);
      return put.ok ? ok(commentOf(put.value, below)) : put;
    }
    const film = item.media.find(({ kind }) => kind === 'video');
    const cover = item.media.find(({ kind }) => kind === 'image');
    if (!film) return refuse('platform.refused', 'YouTube needs a video. An image is only its thumbnail.');
    const known = item.receipt['video'];
    if (known !== undefined) return resume(session, item, known, cover, remember);
    const uploaded = await uploadFilm(session, item, film, remember);
    if (!uploaded.ok) return uploaded;
    const { id } = uploaded.value;
    await remember({ video: id });
    if (cover) return show(session, item, id, cover, remember);
    return accepted(session, item, uploaded.value, remember);
  },

  async find(session, item) {
    if (item.answers) {
      const { externalId: below } = item.answers.root;
      const found = await findComment(session, item, below);
      return found.ok ? ok(found.value === null ? null : commentOf(found.value, below)) : found;
    }
    const found = await findVideo(session, item);
    if (!found.ok || !found.value) return found.ok ? ok(null) : found;
    const { video: seen, isResumable } = found.value;
    // Nothing else shows that a video which is to stay private has its thumbnail.
    if (item.mediaCount > 1 && item.receipt['covered'] === undefined) return ok(null);
    const state = stateOf(seen, item);
    if (state.state === 'published') return ok(videoPart(seen.id));
    if (state.state === 'processing') {
      return refuse('platform.unavailable', `YouTube is still processing the video ${urlOf(seen.id)}.`);
    }
    // The next attempt goes on with this video, and reads from the response to a write what becomes of it.
    if (isResumable) return ok(null);
    const why = state.state === 'ended' ? endedAs(state, seen.id) : restrictedTo(state, item, seen.id);
    return refuse('platform.outcome_unknown', why.failure.message, { platform: why.failure.platform });
  },

  async remove(session, { externalId: id, receipt }) {
    const what = receipt['below'] === undefined ? 'videos' : 'comments';
    const removed = await ask(
      session,
      { method: 'DELETE', path: `/youtube/v3/${what}`, query: { id }, effect: 'idempotent' },
      anything,
      (_words, { status }) => (status === 404 ? ok() : undefined),
    );
    return removed.ok ? ok() : removed;
  },
};

/** Goes on with a video that an earlier attempt uploaded. */
async function resume(
  session: Session,
  item: PublishItem,
  id: string,
  cover: PublishMedia | undefined,
  remember: Remember,
): Answer<PublishedPart> {
  const read = await readVideo(session, id);
  if (!read.ok || !read.value) return inDoubt(id);
  const { state } = stateOf(read.value, item);
  if (state === 'ended') return accepted(session, item, read.value, remember);
  return cover || state === 'restricted'
    ? show(session, item, id, cover, remember)
    : settled(session, item, id);
}

/** Sets the thumbnail of a video that nobody sees yet, and gives the video its visibility. Both may be repeated. */
async function show(
  session: Session,
  item: PublishItem,
  id: string,
  cover: PublishMedia | undefined,
  remember: Remember,
): Answer<PublishedPart> {
  if (cover) {
    const set = await setThumbnail(session, id, cover);
    if (!set.ok) return set;
    await remember({ video: id, covered: 'yes' });
  }
  const { visibility } = optionsOf(item);
  if (cover && visibility === 'private') return settled(session, item, id);
  const shown = await ask(
    session,
    {
      method: 'PUT',
      path: '/youtube/v3/videos',
      query: { part: 'status' },
      json: { id, status: statusOf(item, visibility) },
      effect: 'write',
    },
    video,
    notKnownYet,
  );
  return shown.ok ? accepted(session, item, shown.value, remember) : shown;
}

/** Compares the response to a write with what was requested, and waits for the rest. */
async function accepted(
  session: Session,
  item: PublishItem,
  written: Video,
  remember: Remember,
): Answer<PublishedPart> {
  const seen = stateOf(written, item);
  if (seen.state === 'restricted') return restrictedTo(seen, item, written.id);
  if (seen.state !== 'ended') return afterEnd(await settled(session, item, written.id), remember);
  return afterEnd(endedAs(seen, written.id), remember);
}

/** A video that will never be shown is not continued: a retry uploads again. */
async function afterEnd(
  result: Result<PublishedPart, PlatformFailureCode>,
  remember: Remember,
): Answer<PublishedPart> {
  if (!result.ok && result.failure.code === 'platform.refused') await remember({});
  return result;
}

const setThumbnail = (session: Session, videoId: string, cover: PublishMedia) =>
  ask(
    session,
    {
      method: 'POST',
      path: '/upload/youtube/v3/thumbnails/set',
      query: { videoId, uploadType: 'media' },
      body: { type: cover.type, length: cover.bytes, stream: () => cover.read() },
      effect: 'idempotent',
      deadlineSeconds: uploadSeconds(cover.bytes),
    },
    anything,
    notKnownYet,
  );

const commentOf = (id: string, below: string): PublishedPart => ({
  externalId: id,
  url: `${urlOf(below)}&lc=${id}`,
  receipt: { below },
});
