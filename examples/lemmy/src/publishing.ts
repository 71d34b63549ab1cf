import { ok, refuse, type PublishedPart, type Publishing, type Session } from '@switchboard/platform-kit';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { appendLink } from '@switchboard/platform-kit/append-link';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import {
  communities,
  oneComment,
  onePost,
  readJson,
  requestJson,
  whenMissing,
  type CommentView,
  type PostView,
} from './client.js';
import { findComment, findPost, isSameContent, type Content } from './find-post.js';
import { options, optionsOf } from './manifest.js';

const COMMUNITIES_MAX = 50;

/** Posts and comments are counted separately, so that a comment's id has a prefix. */
export const postPart = ({ post }: PostView): PublishedPart => ({
  externalId: String(post.id),
  url: post.ap_id,
  receipt: {},
});
export const commentPart = ({ comment }: CommentView): PublishedPart => ({
  externalId: `c${comment.id}`,
  url: comment.ap_id,
  receipt: {},
});
const idOf = ({ externalId }: Pick<PublishedPart, 'externalId'>) => Number(externalId.replace(/^c/, ''));
const isComment = ({ externalId }: Pick<PublishedPart, 'externalId'>) => externalId.startsWith('c');

export const publishing: Publishing = {
  count: codePoints,
  // The link of a post has a field of its own; that of a comment is in its text.
  finalText: (draft) => (draft.kind === 'post' ? draft.text : appendLink(draft)),

  async publish(session, item) {
    if (item.replyTo) {
      const json = { content: appendLink(item), post_id: idOf(item.replyTo.root) };
      const request = { method: 'POST', path: '/api/v3/comment', json, effect: 'write' } as const;
      const posted = await requestJson(session, request, oneComment);
      return posted.ok ? ok(commentPart(posted.value.comment_view)) : posted;
    }
    const { community = '', nsfw } = optionsOf(item);
    const json = {
      name: item.title ?? '',
      community_id: Number(community),
      ...(item.text !== '' && { body: item.text }),
      ...(item.link !== null && { url: item.link }),
      ...(nsfw !== undefined && { nsfw }),
    };
    const request = { method: 'POST', path: '/api/v3/post', json, effect: 'write' } as const;
    const posted = await requestJson(session, request, onePost);
    return posted.ok ? ok(postPart(posted.value.post_view)) : posted;
  },

  async find(session, item) {
    if (item.replyTo) {
      const found = await findComment(session, item, idOf(item.replyTo.root));
      return found.ok ? ok(found.value && commentPart(found.value)) : found;
    }
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && postPart(found.value)) : found;
  },

  async exists(session, part) {
    const shown = await readShown(session, part);
    return shown.ok ? ok(shown.value !== null) : shown;
  },

  /** A server also changes what was deleted, which stays deleted. An empty text or link removes it. */
  async edit(session, part, item) {
    const shown = await readShown(session, part);
    if (!shown.ok) return shown;
    if (shown.value === null) return refuse('platform.refused', 'Lemmy does not show the post any more.');
    const request = isComment(part)
      ? { path: '/api/v3/comment', json: { comment_id: idOf(part), content: appendLink(item) } }
      : {
          path: '/api/v3/post',
          json: { post_id: idOf(part), name: item.title ?? '', body: item.text, url: item.link ?? '' },
        };
    const schema: z.ZodType<unknown> = isComment(part) ? oneComment : onePost;
    const edited = await requestJson(session, { ...request, method: 'PUT', effect: 'write' }, schema);
    return edited.ok ? ok() : edited;
  },

  async isEdited(session, part, item) {
    const shown = await readShown(session, part);
    if (!shown.ok) return shown;
    const own = isComment(part) ? { title: null, text: appendLink(item), link: null } : item;
    return ok(shown.value !== null && isSameContent(shown.value, own));
  },

  async remove(session, part) {
    const kind = isComment(part) ? 'comment' : 'post';
    const json = { [`${kind}_id`]: idOf(part), deleted: true };
    const request = { method: 'POST', path: `/api/v3/${kind}/delete`, json, effect: 'idempotent' } as const;
    const missing = whenMissing(`couldnt_find_${kind}`, `couldnt_update_${kind}`);
    const removed = await requestJson(session, request, z.unknown(), missing);
    return removed.ok ? ok() : removed;
  },

  /** The communities that the account has subscribed to; others can be named by their id. */
  async options(session) {
    const query = { type_: 'Subscribed', limit: COMMUNITIES_MAX };
    const listed = await readJson(session, '/api/v3/community/list', query, communities);
    if (!listed.ok) return listed;
    const choices = listed.value.communities.map(({ community }) => ({
      value: String(community.id),
      label: `!${community.name}@${new URL(community.actor_id).host}: ${community.title}`,
    }));
    const [community] = options;
    return ok({ options: [{ ...community, choices, more: true }] });
  },
};

/** Null: it was deleted or removed. */
async function readShown(session: Session, part: PublishedPart): AdapterResult<Content | null> {
  const query = { id: idOf(part) };
  if (isComment(part)) {
    const missing = whenMissing('couldnt_find_comment');
    const seen = await readJson(session, '/api/v3/comment', query, oneComment, missing);
    if (!seen.ok) return seen;
    const { comment } = seen.value?.comment_view ?? {};
    const isShown = comment && !comment.deleted && !comment.removed;
    return ok(isShown ? { title: null, text: comment.content, link: null } : null);
  }
  const missing = whenMissing('couldnt_find_post');
  const seen = await readJson(session, '/api/v3/post', query, onePost, missing);
  if (!seen.ok) return seen;
  const { post } = seen.value?.post_view ?? {};
  const isShown = post && !post.deleted && !post.removed;
  return ok(isShown ? { title: post.name, text: post.body ?? '', link: post.url ?? null } : null);
}
