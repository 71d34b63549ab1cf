import {
  ok,
  refuse,
  type Publishing,
  type PublishItem,
  type PublishMedia,
  type Session,
  type PublishedPart,
} from '@switchboard/platform-kit';
import { discardIfRefused, openReceipt } from '@switchboard/platform-kit/part-receipt';
import {
  unreadableResponse,
  type PlatformError,
  type AdapterResult,
} from '@switchboard/platform-kit/platform-client';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { uploadedMediaIds } from '@switchboard/platform-kit/resumable-uploads';
import { encodeUrn, remove, requestResponse } from './client.js';
import { commentExists, commentPath, findComment, isComment, createComment } from './commenting.js';
import { toLittleText, parseLittleText } from './little-text.js';
import { uploadMedia, type UploadedUrns } from './media.js';
import {
  receiptOfTaken,
  settled,
  takenPost,
  ownPostsRequest,
  findTaken,
  postExists,
  published,
  stateOf,
} from './post-state.js';
import { cardLink, finalText, optionsOf, rules } from './rules.js';
import { errorMapping, postUrn, listedPosts, type ListedPost } from './wire.js';
import { listPage } from './list-page.js';
import { readNotPermitted, canRead } from './read-access.js';
import { compareText } from './compare-text.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) return createComment(session, item, item.replyTo);
    const receipt = openReceipt(item, saveReceipt);
    const accepted = takenPost(item.receipt);
    if (accepted !== null) return discardIfRefused(receipt, await settled(session, accepted));
    const uploaded = await uploadMedia(session, item, receipt);
    if (!uploaded.ok) return uploaded;
    const json = bodyOf(session, item, uploaded.value);
    const request = { method: 'POST', path: '/rest/posts', json, effect: 'write' } as const;
    const posted = await requestResponse(session, request, isDuplicate);
    if (!posted.ok) return posted;
    const urn = postUrn.safeParse(posted.value.headers['x-restli-id']);
    if (!urn.success) return unreadableResponse(errorMapping, 'write');
    await receipt.save(receiptOfTaken(urn.data));
    return discardIfRefused(receipt, await settled(session, urn.data));
  },

  async find(session, item) {
    if (item.replyTo) return findComment(session, item, item.replyTo);
    return findPost(session, item);
  },

  /** Only the text of a post: its card and media stay. */
  async edit(session, { externalId }, item) {
    const edited = await requestResponse(session, {
      method: 'POST',
      path: `/rest/posts/${encodeUrn(externalId)}`,
      headers: { 'x-restli-method': 'PARTIAL_UPDATE' },
      json: { patch: { $set: { commentary: toLittleText(finalText(item)) } } },
      effect: 'write',
    });
    if (!edited.ok) return edited;
    // LinkedIn responds with a 204.
    return edited.value.body.length === 0 ? ok() : unreadableResponse(errorMapping, 'write');
  },

  checkEdit(before, after) {
    const cannot = (path: string, message: string) =>
      [{ path, code: 'post.edit_unsupported', message }] as const;
    if (after.kind !== 'post')
      return cannot('text', 'Comments at LinkedIn are not edited. Delete it there, or unpublish the post.');
    return cardLink(before) === cardLink(after)
      ? []
      : cannot('link', 'LinkedIn does not change the link of a post. Unpublish it instead.');
  },

  exists: (session, { externalId }) =>
    isComment(externalId) ? commentExists(session, externalId) : postExists(session, externalId),

  remove: (session, { externalId }) =>
    remove(session, {
      path: isComment(externalId) ? commentPath(session, externalId) : `/rest/posts/${encodeUrn(externalId)}`,
    }),
};

function bodyOf(session: Session, item: PublishItem, uploaded: UploadedUrns) {
  const { visibility, no_reposts: isReshareDisabledByAuthor } = optionsOf(item);
  const content = contentOf(item, uploaded);
  return {
    author: session.account.id,
    commentary: toLittleText(finalText(item)),
    visibility,
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor,
  };
}

/**
 * The content below the text: one file, several images, or the link's card, to which LinkedIn adds nothing of
 * its own.
 */
function contentOf(item: PublishItem, { media, thumbnail }: UploadedUrns) {
  const source = cardLink(item);
  if (source !== null) {
    const description = item.card?.description ?? '';
    return {
      article: {
        source,
        title: item.card?.title ?? source,
        ...(description !== '' && { description }),
        ...(thumbnail !== null && { thumbnail }),
      },
    };
  }
  const files = item.media.map((one, at) => shownFile(one, media[at] ?? ''));
  if (files.length > 1) return { multiImage: { images: files } };
  return files[0] ? { media: files[0] } : null;
}

/**
 * A document requires a title; the title of a video would be shown above it, and is not alternative text.
 */
const shownFile = ({ kind, altText, fileName }: PublishMedia, id: string) => ({
  id,
  ...(kind === 'image' && altText && { altText }),
  ...(kind === 'document' && { title: altText ?? fileName }),
});

/** Also for a recently removed post, so that the post which LinkedIn names may no longer exist. */
const isDuplicate = ({ code, message }: PlatformError) =>
  code === 'DUPLICATE_POST' || /\bis a duplicate of\b/i.test(message)
    ? refuse(
        'platform.duplicate_content',
        'LinkedIn rejects text identical to a current or recently deleted post.',
      )
    : undefined;

const PAGES_MAX = 3;

async function findPost(session: Session, item: PublishItem): AdapterResult<PublishedPart | null> {
  const accepted = takenPost(item.receipt);
  if (accepted !== null) return findTaken(session, accepted);
  const media = uploadedMediaIds(item);
  // All media is uploaded, and its URNs stored, before a post is sent.
  if (media === null && !item.isReceiptOutdated) return ok(null);
  if (!canRead(session, 'r_member_social')) return readNotPermitted('post');
  const request = ownPostsRequest(session);
  const recent = await findRecentPosts(item, (start) => listPage(session, request, listedPosts, start), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: ({ createdAt }) => new Date(createdAt).toISOString(),
  });
  if (!recent.ok) return recent;
  const same = media === null ? [] : recent.value.filter((post) => matchesItem(post, item, media));
  if (same.length === 0 && recent.value.some((post) => isSimilar(post, item)))
    return refuse('platform.outcome_unknown', 'The account has since published a similar post.');
  const found = resolveSingleMatchWithOptions(same, (post) => hasRequestedOptions(post, item));
  if (!found.ok || !found.value) return found.ok ? ok(null) : found;
  return published(stateOf(found.value.lifecycleState), found.value.id);
}

/** The content below a text: its media, by their URNs. */
const mediaIn = ({ content }: ListedPost): readonly string[] =>
  (content?.multiImage?.images ?? (content?.media ? [content.media] : [])).map(({ id }) => id ?? '');

/** An upload belongs to one post alone. A post without any is identified by its text and links. */
function matchesItem(post: ListedPost, item: PublishItem, media: readonly string[]): boolean {
  const shown = mediaIn(post);
  if (shown.length !== media.length) return false;
  if (media.length > 0) return shown.every((id, at) => id === media[at]);
  const source = post.content?.article?.source ?? null;
  return (
    source === cardLink(item) && compareText(parseLittleText(post.commentary), plainTextOf(item)) === 'same'
  );
}

/** With the requested visibility and resharing, as far as LinkedIn reports them. */
function hasRequestedOptions(post: ListedPost, item: PublishItem): boolean {
  const { visibility, no_reposts: isReshareDisabled } = optionsOf(item);
  return (
    (post.visibility ?? visibility) === visibility &&
    (post.isReshareDisabledByAuthor ?? isReshareDisabled) === isReshareDisabled
  );
}

/**
 * The only differences are names and URLs that LinkedIn may have changed: then its absence is not certain.
 */
const isSimilar = (post: ListedPost, item: PublishItem): boolean =>
  mediaIn(post).length === item.mediaCount &&
  compareText(parseLittleText(post.commentary), plainTextOf(item)) !== 'other';

const plainTextOf = (item: PublishItem): string => parseLittleText(toLittleText(finalText(item)));
