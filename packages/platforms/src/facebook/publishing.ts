import {
  ok,
  refuse,
  type Result,
  type Publishing,
  type PublishItem,
  type Session,
  type PublishMedia,
  type SaveReceipt,
} from '@switchboard/platform-kit';
import { type GraphError, graphPage } from '../graph/graph.js';
import { findComment, createComment, type CommentApi } from '../graph/graph-comments.js';
import { editObject, removeObject, findObject, objectExists } from '../graph/graph-objects.js';
import { graphPart, fetchPublishedPart } from '../graph/graph-part.js';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import {
  findRecentPosts,
  resolveSingleMatch,
  type ListedPage,
} from '@switchboard/platform-kit/find-recent-posts';
import { normalizeLink } from '@switchboard/platform-kit/normalize-link';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { requestJson } from './client.js';
import { getVideoStatus } from './video-state.js';
import { parseUpload, type VideoUpload } from './video-upload.js';
import { publishVideo } from './videos.js';
import { manifest } from './manifest.js';
import { finalText, rules, sharesLink } from './rules.js';
import { createdId, comment, listedPosts, objectText, type Attachment, type ListedPost } from './wire.js';
import { multipart } from '@switchboard/platform-kit/multipart';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import {
  resumeUploads,
  uploadedMediaIds,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) return createComment(session, commentApiOf(session), finalText(item), item.replyTo);
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
    if (item.replyTo) return findComment(session, commentApiOf(session), finalText(item), item, item.replyTo);
    const video = parseUpload(item.receipt);
    if (video.id !== '') {
      const known = await findVideo(session, video);
      if (!known.ok || known.value || !item.isReceiptOutdated) return known;
    }
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink_url)) : found;
  },

  edit: (session, { externalId }, item) =>
    editObject(session, manifest.name, externalId, { [textFieldOf(externalId)]: finalText(item) }),

  async isEdited(session, { externalId }, item) {
    const field = textFieldOf(externalId);
    const seen = await findObject(session, manifest.name, externalId, `id,${field}`, objectText);
    if (!seen.ok) return seen;
    return ok(
      seen.value !== null && normalizeText(seen.value[field] ?? '') === normalizeText(finalText(item)),
    );
  },

  checkEdit: (before, after) =>
    (sharesLink(before) || sharesLink(after)) && before.link !== after.link
      ? [
          {
            path: 'link',
            code: 'post.edit_unsupported',
            message: 'Facebook does not change the link of a post. Unpublish it instead.',
          },
        ]
      : [],

  exists: (session, { externalId }) => objectExists(session, manifest.name, externalId),
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

/** A video has an id of its own, without that of the page or the post before it. */
const textFieldOf = (id: string) => (id.includes('_') ? 'message' : 'description');

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

const commentApiOf = ({ account }: Session): CommentApi => ({
  name: manifest.name,
  query: { fields: 'id,message,created_time,from' },
  row: comment.transform(({ id, message, created_time: at, from }) => ({
    id,
    text: message ?? null,
    createdAt: at,
    isOwn: from ? from.id === account.id : null,
  })),
});

/** For larger pages with attachments, Facebook may respond that this is too much data. */
const PAGE = 25;
const PAGES_MAX = 12;
const media = 'type,target';
const fields = `id,created_time,message,permalink_url,attachments{${media},url,unshimmed_url,subattachments{${media}}}`;

/** The page's post that is this item: with its own images, or with its text. Null: there is none. */
async function findPost(session: Session, item: PublishItem): AdapterResult<ListedPost | null> {
  const photos = photoIdsIn(item);
  // Image IDs are stored before a post references them.
  if (photos === null && !item.isReceiptOutdated) return ok(null);
  const recent = await findRecentPosts(item, (after) => postsPage(session, after), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: (post) => post.created_time,
  });
  if (!recent.ok) return recent;
  if (item.mediaCount > 0) return findByPhotos(recent.value, item, photos ?? []);
  const hasText = finalText(item).trim() !== '';
  const plain = recent.value.filter((post) => hasSameText(post, item) && mediaIdsOf(post).length === 0);
  const similar = hasText ? plain : plain.filter((post) => linksOf(post).length > 0);
  const only = resolveSingleMatch(similar.filter((post) => hasSameLinks(post, item)));
  // Facebook may report the canonical URL of a link.
  if (only.ok && !only.value && similar.length > 0)
    return refuse(
      'platform.outcome_unknown',
      'The page has since posted the same text with a different link.',
    );
  return only;
}

/**
 * A post that looks the same with other images requires a manual check: the stability of IDs is not
 * documented.
 */
function findByPhotos(
  posts: readonly ListedPost[],
  item: PublishItem,
  photos: readonly string[],
): Result<ListedPost | null, 'platform.outcome_unknown'> {
  const own = posts.find((post) =>
    attachmentsOf(post).some(({ target }) => photos.includes(target?.id ?? '')),
  );
  if (own) return ok(own);
  const isAlike = posts.some((post) => hasSameText(post, item) && mayHaveMedia(post, item.mediaCount));
  return isAlike ? refuse('platform.outcome_unknown', 'The page has since posted a similar post.') : ok(null);
}

async function postsPage(session: Session, after: string | undefined): AdapterResult<ListedPage<ListedPost>> {
  const path = `/${encodeURIComponent(session.account.id)}/published_posts`;
  const query = { fields, limit: PAGE, after };
  const listed = await requestJson(session, { path, query }, listedPosts);
  return listed.ok ? ok(graphPage(listed.value)) : listed;
}

const hasSameText = ({ message }: ListedPost, item: PublishItem): boolean =>
  normalizeText(message ?? '') === normalizeText(finalText(item));

/** The item's link; or, if it has none, only the links in its text. */
const hasSameLinks = (post: ListedPost, item: PublishItem): boolean =>
  sharesLink(item)
    ? linksOf(post).includes(normalizeLink(item.link))
    : linksOf(post).every((link) => finalText(item).includes(link));

/** The shared link, as Facebook resolved it. */
const linksOf = ({ attachments }: ListedPost): readonly string[] =>
  (attachments?.data ?? []).flatMap(({ url, unshimmed_url: link }) => normalizeLink(link ?? url) || []);

const attachmentsOf = ({ attachments }: ListedPost): readonly Pick<Attachment, 'type' | 'target'>[] =>
  (attachments?.data ?? []).flatMap((one) => one.subattachments?.data ?? [one]);

/**
 * The IDs of its images and videos; a shared link is neither, even for a video on another site
 * (`video_share_youtube`).
 */
const mediaIdsOf = (post: ListedPost): readonly (string | null)[] =>
  attachmentsOf(post)
    .filter(({ type }) => /^(photo$|video(?!_share))/.test(type ?? ''))
    .map(({ target }) => target?.id ?? null);

/** Whether it shows this number of images, or attachments whose type Facebook does not report. */
const mayHaveMedia = (post: ListedPost, count: number): boolean =>
  mediaIdsOf(post).length === count || attachmentsOf(post).length === count;

const photoKey = (at: number) => `photo_${at}`;

/** The IDs of the item's images at Facebook, as an attempt stored them; null if one is missing. */
const photoIdsIn = (item: Pick<PublishItem, 'mediaCount' | 'receipt'>) => uploadedMediaIds(item, photoKey);

/** The IDs of the item's images, which are not public before a post references them. */
const uploadPhotos = (
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<readonly string[]> =>
  resumeUploads(
    session,
    openReceipt(item, saveReceipt),
    { name: manifest.name, look: (id) => getPhotoState(session, id) },
    item.media.map((medium, at) => ({ key: photoKey(at), upload: () => uploadPhoto(session, medium) })),
  );

/** Images that no post references within a day expire. */
async function getPhotoState(session: Session, id: string): AdapterResult<'ready' | null> {
  const seen = await findObject(session, manifest.name, id, 'id', createdId);
  return seen.ok ? ok(seen.value && 'ready') : seen;
}

async function uploadPhoto(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const about = medium.altText === null ? {} : { alt_text_custom: medium.altText };
  const sent = await requestJson(
    session,
    {
      method: 'POST',
      path: `/${encodeURIComponent(session.account.id)}/photos`,
      body: multipart({ published: 'false', ...about }, { ...medium, name: 'source' }),
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(medium.bytes),
    },
    createdId,
  );
  return sent.ok ? ok({ id: sent.value.id, state: 'ready' }) : sent;
}
