import {
  ok,
  quotePlatform,
  refuse,
  type PublishedPart,
  type Publishing,
  type PublishItem,
} from '@switchboard/platform-kit';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { discardIfRefused, openReceipt } from '@switchboard/platform-kit/part-receipt';
import { z } from 'zod';
import { categories, comment, errorMapping, post, requestJson, state, when, type Comment } from './client.js';
import { contentOf, escapeHtml, imageBlock, textWithLink } from './content.js';
import { editComment, editPost, isCommentEdited, isPostEdited } from './edit-part.js';
import { findComment, findPost } from './find-post.js';
import { limits, options, optionsOf } from './manifest.js';
import { uploadImages } from './media.js';

const CATEGORIES_MAX = 100;
const count = (text: string) => utf8Bytes(escapeHtml(text));

/** Posts and comments are counted separately, so that a comment's id has a prefix. */
export const postPart = ({ id, link }: { readonly id: number; readonly link: string }): PublishedPart => ({
  externalId: String(id),
  url: link,
  receipt: {},
});
const isComment = ({ externalId }: PublishedPart) => externalId.startsWith('c');
const pathOf = (part: PublishedPart) =>
  `/${isComment(part) ? 'comments' : 'posts'}/${encodeURIComponent(part.externalId.replace(/^c/, ''))}`;
const whenMissing = when('rest_post_invalid_id', 'rest_comment_invalid_id');

/** A site may hold comments back: then a person approves it there, and nothing is sent again. */
function commentPart({ id, link, status }: Comment) {
  return status === 'approved'
    ? ok({ externalId: `c${id}`, url: link, receipt: {} })
    : refuse('platform.outcome_unknown', `The site holds the comment ${link} for moderation.`);
}

/** What no WordPress refuses by itself, but the web server of some site does, without an error that can be read. */
function refuseExcess({ text, title, mediaCount }: PublishItem) {
  const excess =
    (count(text) > limits.textBytes && 'The text is too long.') ||
    (codePoints(title ?? '') > limits.titleCharacters && 'The title is too long.') ||
    (mediaCount > limits.images && 'The post has too many images.');
  if (excess === false) return null;
  const platform = quotePlatform(errorMapping.name, excess, undefined);
  return refuse('platform.refused', 'The post is larger than many web servers accept.', { platform });
}

export const publishing: Publishing = {
  count,
  finalText: textWithLink,

  async publish(session, item, saveReceipt) {
    const excess = refuseExcess(item);
    if (excess) return excess;
    if (item.replyTo) {
      const json = { post: Number(item.replyTo.root.externalId), content: escapeHtml(textWithLink(item)) };
      const posted = await requestJson(
        session,
        { method: 'POST', path: '/comments', json, effect: 'write' },
        comment,
        ({ code }) =>
          code === 'comment_duplicate'
            ? refuse('platform.duplicate_content', 'The post has this comment of the account already.')
            : undefined,
      );
      return posted.ok ? commentPart(posted.value) : posted;
    }
    const receipt = openReceipt(item, saveReceipt);
    const images = await uploadImages(session, item, receipt);
    if (!images.ok) return images;
    const { category, excerpt } = optionsOf(item);
    const [first] = images.value;
    const json = {
      // Drafts and times are Switchboard's.
      status: 'publish',
      title: item.title ?? '',
      content: contentOf(item, images.value.map(imageBlock)),
      ...(first && { featured_media: Number(first.id) }),
      ...(category !== undefined && { categories: [Number(category)] }),
      ...(excerpt !== undefined && { excerpt }),
    };
    const posted = await requestJson(
      session,
      { method: 'POST', path: '/posts', json, effect: 'write' },
      post,
    );
    if (!posted.ok) return discardIfRefused(receipt, posted);
    const { link, status } = posted.value;
    return status === 'publish'
      ? ok(postPart(posted.value))
      : refuse('platform.outcome_unknown', `The site stored ${link} with the status ${status}.`);
  },

  async find(session, item) {
    if (item.replyTo) {
      const found = await findComment(session, item, Number(item.replyTo.root.externalId));
      if (!found.ok || !found.value) return found.ok ? ok(null) : found;
      return commentPart(found.value);
    }
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && postPart(found.value)) : found;
  },

  async edit(session, part, item) {
    const excess = refuseExcess(item);
    if (excess) return excess;
    return isComment(part) ? editComment(session, pathOf(part), item) : editPost(session, pathOf(part), item);
  },

  isEdited: (session, part, item) =>
    isComment(part)
      ? isCommentEdited(session, pathOf(part), item)
      : isPostEdited(session, pathOf(part), item),

  async exists(session, part) {
    // Only moderators may read a comment for editing.
    const query = isComment(part) ? {} : { context: 'edit' };
    const seen = await requestJson(session, { path: pathOf(part), query }, state, whenMissing);
    if (!seen.ok) return seen;
    return ok(['publish', 'approved'].includes(seen.value?.status ?? ''));
  },

  /** It goes to the trash, from where its author can restore it. */
  async remove(session, part) {
    const removed = await requestJson(
      session,
      { method: 'DELETE', path: pathOf(part), effect: 'idempotent' },
      z.unknown(),
      (words) => whenMissing(words) ?? when('rest_already_trashed')(words),
    );
    return removed.ok ? ok() : removed;
  },

  async options(session) {
    const query = { per_page: CATEGORIES_MAX, orderby: 'count', order: 'desc', context: 'edit' };
    const listed = await requestJson(session, { path: '/categories', query }, categories);
    if (!listed.ok) return listed;
    const choices = listed.value.map(({ id, name }) => ({ value: String(id), label: name }));
    const [category] = options;
    return ok({ options: [{ ...category, choices, more: choices.length === CATEGORIES_MAX }] });
  },
};
