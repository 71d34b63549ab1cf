import { ok, refuse } from '@switchboard/domain';
import type { Publishing, PublishItem, Session } from '@switchboard/domain/ports';
import type { GraphError } from '../kit/graph.js';
import { findComment, createComment } from '../kit/graph-comments.js';
import { removeObject } from '../kit/graph-objects.js';
import { graphPart, fetchPublishedPart } from '../kit/graph-part.js';
import { requestJson } from './client.js';
import { commentApiOf } from './commenting.js';
import { getVideoStatus } from './video-state.js';
import { parseUpload, type VideoUpload } from './video-upload.js';
import { publishVideo } from './videos.js';
import { findPost } from './find-post.js';
import { manifest } from './manifest.js';
import { uploadPhotos } from './photos.js';
import { finalText, rules, sharesLink } from './rules.js';
import { createdId } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) {
      const put = await createComment(session, commentApiOf(session), finalText(item), item.replyTo);
      return put.ok ? ok(graphPart(put.value, null)) : put;
    }
    const [first] = item.media;
    if (first?.kind === 'video') {
      const video = await publishVideo(session, item, first, saveReceipt);
      return video.ok ? ok(graphPart(video.value.id, video.value.url)) : video;
    }
    const photos = await uploadPhotos(session, item, saveReceipt);
    if (!photos.ok) return photos;
    const form = formOf(item, photos.value);
    const post = {
      method: 'POST',
      path: `/${encodeURIComponent(session.account.id)}/feed`,
      form,
      effect: 'write',
    } as const;
    const posted = await requestJson(session, post, createdId, isDuplicate);
    return posted.ok
      ? ok(await fetchPublishedPart(session, manifest.name, posted.value.id, 'permalink_url'))
      : posted;
  },

  async find(session, item) {
    if (item.replyTo) {
      const found = await findComment(session, commentApiOf(session), finalText(item), item, item.replyTo);
      return found.ok ? ok(found.value === null ? null : graphPart(found.value, null)) : found;
    }
    const video = parseUpload(item.receipt);
    if (video.id !== '') return findVideo(session, video);
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink_url)) : found;
  },

  remove: (session, { externalId }) => removeObject(session, manifest.name, externalId),
};

function formOf(item: PublishItem, photos: readonly string[]): Readonly<Record<string, string>> {
  const message = finalText(item);
  const attached = photos.map(
    (id, at) => [`attached_media[${at}]`, JSON.stringify({ media_fbid: id })] as const,
  );
  return {
    ...(message !== '' && { message }),
    ...(sharesLink(item) && { link: item.link ?? '' }),
    ...Object.fromEntries(attached),
  };
}

const DUPLICATE = 506;
const isDuplicate = ({ code }: GraphError) =>
  code === DUPLICATE
    ? refuse('platform.duplicate_content', 'Facebook rejects a second post with identical text.')
    : undefined;

async function findVideo(session: Session, upload: VideoUpload): ReturnType<NonNullable<Publishing['find']>> {
  const seen = await getVideoStatus(session, upload);
  if (!seen.ok) return seen;
  switch (seen.value?.state) {
    case 'published':
      return ok(graphPart(upload.id, seen.value.url));
    case 'processing':
      return refuse('platform.unavailable', 'Facebook is still processing this video.');
    case 'hidden':
      return refuse('platform.outcome_unknown', 'Facebook has the video but does not show it.');
    case undefined:
      return refuse('platform.outcome_unknown', 'Facebook no longer has this video.');
    default:
      return ok(null);
  }
}
