import {
  ok,
  refuse,
  type PublishedPart,
  type PublishItem,
  type PublishMedia,
  type Publishing,
  type Remember,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { findComment, notKnownYet, putComment } from './commenting.js';
import { findVideo } from './find-video.js';
import { statusOf } from './metadata.js';
import { optionsOf, rules } from './rules.js';
import { uploadFilm } from './upload.js';
import { anything, ask, video } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    if (item.answers) {
      const { externalId: below } = item.answers.root;
      const put = await putComment(session, item, below);
      return put.ok ? ok(commentOf(put.value, below)) : put;
    }
    const film = item.media.find(({ kind }) => kind === 'video');
    const cover = item.media.find(({ kind }) => kind === 'image');
    if (!film) return refuse('platform.refused', 'YouTube needs a video. An image is only its thumbnail.');
    const waiting = item.receipt['video'];
    if (waiting !== undefined) return show(session, item, waiting, cover, remember);
    const uploaded = await uploadFilm(session, item, film, remember);
    if (!uploaded.ok) return uploaded;
    const { id } = uploaded.value;
    if (!cover) return ok(videoPart(id));
    await remember({ video: id });
    return show(session, item, id, cover, remember);
  },

  async find(session, item) {
    if (item.answers) {
      const { externalId: below } = item.answers.root;
      const found = await findComment(session, item, below);
      return found.ok ? ok(found.value === null ? null : commentOf(found.value, below)) : found;
    }
    const found = await findVideo(session, item);
    if (!found.ok || !found.value) return found.ok ? ok(null) : found;
    const { id, status } = found.value;
    const hasCover = item.mediaCount > 1;
    // What is to stay private is seen to have its thumbnail by nothing else.
    const isBare = hasCover && item.receipt['covered'] === undefined;
    const isUploadedHidden = hasCover || item.receipt['video'] !== undefined;
    const waits = isBare || (isUploadedHidden && status.privacyStatus !== optionsOf(item).visibility);
    return ok(waits ? null : videoPart(id));
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

/** Sets the thumbnail of a video that nobody sees yet, and shows it. Both may be done again. */
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
  if (visibility === 'private') return ok(videoPart(id));
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
  return shown.ok ? ok(videoPart(id)) : shown;
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

const urlOf = (id: string) => `https://www.youtube.com/watch?v=${id}`;

const videoPart = (id: string): PublishedPart => ({ externalId: id, url: urlOf(id), receipt: {} });

const commentOf = (id: string, below: string): PublishedPart => ({
  externalId: id,
  url: `${urlOf(below)}&lc=${id}`,
  receipt: { below },
});
