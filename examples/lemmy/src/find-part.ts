import { ok, type PublishedPart, type PublishItem, type Session } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import {
  listActivity,
  oneComment,
  onePost,
  readJson,
  whenMissing,
  type CommentView,
  type PostView,
} from './client.js';
import { optionsOf, PER_PAGE } from './manifest.js';

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
export const isComment = ({ externalId }: PublishedPart) => externalId.startsWith('c');
export const idOf = ({ externalId }: PublishedPart) => Number(externalId.replace(/^c/, ''));

interface Content {
  readonly title: string | null;
  readonly text: string;
  readonly link: string | null;
}
const contentOfPost = ({ post }: PostView): Content => ({
  title: post.name,
  text: post.body ?? '',
  link: post.url ?? null,
});
const contentOfItem = (item: PublishItem): Content =>
  item.kind === 'post' ? item : { title: null, text: appendLink(item), link: null };
const href = (link: string | null) => (link !== null && URL.canParse(link) ? new URL(link).href : link);
export const isSame = (one: Content, item: PublishItem) => {
  const own = contentOfItem(item);
  return (
    normalizeText(one.title ?? '') === normalizeText(own.title ?? '') &&
    normalizeText(one.text) === normalizeText(own.text) &&
    href(one.link) === href(own.link)
  );
};

interface Listed {
  readonly part: PublishedPart;
  readonly content: Content;
  readonly deleted: boolean;
  readonly published: string;
  readonly nsfw: boolean;
}

/** What the account published since the item was due, with its content and its place. */
export async function findPart(session: Session, item: PublishItem): AdapterResult<PublishedPart | null> {
  const { community, nsfw = false } = optionsOf(item);
  const root = item.replyTo && idOf(item.replyTo.root);
  const recent = await findRecentPosts(
    item,
    async (page = '1') => {
      const listed = await listActivity(session, Number(page), PER_PAGE);
      if (!listed.ok) return listed;
      const { posts, comments } = listed.value;
      const found: Listed[] = root
        ? comments
            .filter(({ comment }) => comment.post_id === root && comment.path.split('.').length === 2)
            .map((view) => {
              const { deleted, published, content: text } = view.comment;
              const content = { title: null, text, link: null };
              return { part: commentPart(view), content, deleted, published, nsfw };
            })
        : posts
            .filter(({ post }) => String(post.community_id) === community)
            .map((view) => ({ ...view.post, part: postPart(view), content: contentOfPost(view) }));
      const all = root ? comments : posts;
      return ok({ found, next: all.length < PER_PAGE ? undefined : String(Number(page) + 1) });
    },
    { pagesMax: 5, newestFirst: true, createdAtOf: ({ published }) => published },
  );
  if (!recent.ok) return recent;
  const same = recent.value.filter(({ deleted, content }) => !deleted && isSame(content, item));
  // A community may mark every post.
  const found = resolveSingleMatchWithOptions(same, (one) => one.nsfw === nsfw);
  return found.ok ? ok(found.value && found.value.part) : found;
}

/** Null: it was deleted or removed. */
export async function readShown(session: Session, part: PublishedPart): AdapterResult<Content | null> {
  const query = { id: idOf(part) };
  if (isComment(part)) {
    const seen = await readJson(session, '/api/v3/comment', query, oneComment, whenMissing);
    if (!seen.ok) return seen;
    const { comment } = seen.value?.comment_view ?? {};
    return ok(
      comment && !comment.deleted && !comment.removed
        ? { title: null, text: comment.content, link: null }
        : null,
    );
  }
  const seen = await readJson(session, '/api/v3/post', query, onePost, whenMissing);
  if (!seen.ok) return seen;
  const view = seen.value?.post_view;
  return ok(view && !view.post.deleted && !view.post.removed ? contentOfPost(view) : null);
}
