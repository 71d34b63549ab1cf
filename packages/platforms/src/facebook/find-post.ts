import { ok, refuse, type Result } from '@switchboard/domain';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { graphPage } from '../kit/graph.js';
import { findRecentPosts, resolveSingleMatch, type ListedPage } from '../kit/find-recent-posts.js';
import { normalizeLink } from '../kit/normalize-link.js';
import { normalizeText } from '../kit/normalize-text.js';
import { requestJson } from './client.js';
import { photoIdsIn } from './photos.js';
import { finalText, sharesLink } from './rules.js';
import { listedPosts, type Attachment, type ListedPost } from './wire.js';

/** For larger pages with attachments, Facebook may respond that this is too much data. */
const PAGE = 25;
const PAGES_MAX = 12;
const media = 'type,target';
const fields = `id,created_time,message,permalink_url,attachments{${media},url,unshimmed_url,subattachments{${media}}}`;

/** The page's post that is this item: with its own images, or with its text. Null: there is none. */
export async function findPost(session: Session, item: PublishItem): AdapterResult<ListedPost | null> {
  const photos = photoIdsIn(item);
  // Image IDs are stored before a post references them.
  if (photos === null) return ok(null);
  const recent = await findRecentPosts(item, (after) => postsPage(session, after), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: (post) => post.created_time,
  });
  if (!recent.ok) return recent;
  if (item.mediaCount > 0) return findByPhotos(recent.value, item, photos);
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
  const listed = await requestJson(session, { method: 'GET', path, query, effect: 'read' }, listedPosts);
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
