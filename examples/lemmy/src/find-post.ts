import { ok, type PublishItem, type Session } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import {
  findRecentPosts,
  resolveSingleMatch,
  resolveSingleMatchWithOptions,
} from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { activity, readJson, type Activity, type CommentView, type PostView } from './client.js';
import { optionsOf } from './manifest.js';

const PAGE = 50;
const PAGES_MAX = 5;
const isSame = (stored: string | null | undefined, own: string | null) =>
  normalizeText(stored ?? '') === normalizeText(own ?? '');
const isSameLink = (stored: string | null | undefined, own: string | null) => {
  const plain = (url: string | null | undefined) => (url && URL.canParse(url) ? new URL(url).href : '');
  return plain(stored) === plain(own);
};

export type Content = Pick<PublishItem, 'title' | 'text' | 'link'>;
export const isSameContent = (stored: Content, own: Content): boolean =>
  isSame(stored.title, own.title) && isSame(stored.text, own.text) && isSameLink(stored.link, own.link);

/** The account's post that is this item: with its title, text, link and community, since it was due. */
export async function findPost(session: Session, item: PublishItem): AdapterResult<PostView | null> {
  const recent = await listActivity(
    session,
    item,
    ({ posts }) => posts,
    ({ post }) => post.published,
  );
  if (!recent.ok) return recent;
  const { community, nsfw = false } = optionsOf(item);
  const same = recent.value.filter(
    ({ post }) =>
      !post.deleted &&
      String(post.community_id) === community &&
      isSameContent({ title: post.name, text: post.body ?? '', link: post.url ?? null }, item),
  );
  // A community may mark every post.
  return resolveSingleMatchWithOptions(same, ({ post }) => post.nsfw === nsfw);
}

export async function findComment(
  session: Session,
  item: PublishItem,
  postId: number,
): AdapterResult<CommentView | null> {
  const recent = await listActivity(
    session,
    item,
    ({ comments }) => comments,
    ({ comment }) => comment.published,
  );
  if (!recent.ok) return recent;
  const own = appendLink(item);
  return resolveSingleMatch(
    recent.value.filter(
      ({ comment: { deleted, content, path, post_id: id } }) =>
        !deleted && id === postId && path.split('.').length === 2 && isSame(content, own),
    ),
  );
}

/** The newest posts or comments of the account: a page counts each of the lists. */
const listActivity = <One>(
  session: Session,
  item: PublishItem,
  pick: (listed: Activity) => readonly One[],
  createdAtOf: (one: One) => string,
): AdapterResult<readonly One[]> =>
  findRecentPosts(
    item,
    async (page = '1') => {
      const query = { person_id: session.account.id, sort: 'New', page: Number(page), limit: PAGE };
      const listed = await readJson(session, '/api/v3/user', query, activity);
      if (!listed.ok) return listed;
      const found = pick(listed.value);
      return ok({ found, next: found.length < PAGE ? undefined : String(Number(page) + 1) });
    },
    { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf },
  );
