import { ok, refuse, type PublishedPart, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { z } from 'zod';
import {
  findRecentPosts,
  resolveSingleMatch,
  resolveSingleMatchWithOptions,
} from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { readJson } from './client.js';
import { assetIdsIn } from './media.js';
import { findMade, madePost, whereShown } from './post-state.js';
import { bodyOf, optionsOf, subredditOf } from './rules.js';
import { comments, posts, type ListedComment, type ListedPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 5;
/** A hundred long posts, each of them twice: as written, and as HTML. */
const BYTES_MAX = 16 * 1024 * 1024;

export const partOf = (externalId: string, url: string): PublishedPart => ({ externalId, url, receipt: {} });

export const postPart = ({ name, permalink }: Pick<ListedPost, 'name' | 'permalink'>): PublishedPart =>
  partOf(name, `https://www.reddit.com${permalink}`);

export const commentPart = ({ name, link_id: post, permalink }: ListedComment): PublishedPart =>
  partOf(
    name,
    `https://www.reddit.com${permalink ?? `/comments/${post.replace('t3_', '')}/_/${name.replace('t1_', '')}`}`,
  );

/** The account's post that is this item, if it is public. */
export async function findPost(session: Session, item: PublishItem): AdapterResult<PublishedPart | null> {
  const created = madePost(item);
  if (created) return findMade(session, created);
  const found = await findListed(session, item);
  if (!found.ok || !found.value) return found.ok ? ok(null) : found;
  return whereShown(found.value, postPart(found.value));
}

/** The same as listed for the account itself. Media posts are identified by the IDs of their uploads. */
export async function findListed(session: Session, item: PublishItem): AdapterResult<ListedPost | null> {
  const assets = assetIdsIn(item);
  // Upload IDs are stored before the post is sent.
  if (assets === null && !item.isReceiptOutdated) return ok(null);
  const recent = await listRecent(session, item, 'submitted', posts);
  if (!recent.ok) return recent;
  const similar = recent.value.filter((post) => hasSameContent(post, item));
  const found = resolveSingleMatchWithOptions(
    item.mediaCount > 0
      ? recent.value.filter((post) => assets !== null && hasUploads(post, assets))
      : similar.filter((post) => post.is_self || isSameLink(post.url, item.link)),
    (post) => hasRequestedOptions(post, item),
  );
  if (!found.ok || found.value) return found;
  if (recent.value.some((post) => isRewritten(post) && isInSubreddit(post, item)))
    return refuse('platform.outcome_unknown', 'Reddit has since removed a post there, with its text.');
  // Reddit may have rewritten a link, or the URL of a file.
  if (similar.length > 0)
    return refuse(
      'platform.outcome_unknown',
      'The account has a post with the same text but different media.',
    );
  return ok(null);
}

/** For a post that violates Reddit's own rules the text is removed, for its author too. */
const isRewritten = ({ title, selftext }: ListedPost): boolean =>
  [title, selftext].some((words) => /^\[ ?(removed|deleted)\b/i.test(words));

/**
 * With the requested markers (spoiler, NSFW); a post identified by its uploads is the item regardless of its
 * current markers.
 */
function hasRequestedOptions(post: ListedPost, item: PublishItem): boolean {
  const { over_18: nsfw, spoiler, send_replies: sendReplies } = post;
  const requested = optionsOf(item);
  return (
    item.mediaCount > 0 ||
    (hasFlair(post, requested) &&
      (nsfw ?? requested.nsfw ?? false) === (requested.nsfw ?? false) &&
      (spoiler ?? requested.spoiler ?? false) === (requested.spoiler ?? false) &&
      (sendReplies ?? requested.send_replies ?? true) === (requested.send_replies ?? true))
  );
}

/**
 * With the requested custom flair text; otherwise by flair ID or text; without a flair if none was requested.
 */
function hasFlair(
  { link_flair_text: text, link_flair_template_id: id }: ListedPost,
  { flair, flair_text: ownText }: ReturnType<typeof optionsOf>,
): boolean {
  const plain = (words: string | null | undefined) => normalizeText(words ?? '').toLowerCase();
  if (flair === undefined) return !id && plain(text) === '';
  if (ownText !== undefined) return plain(text) === plain(ownText);
  return id === flair || plain(text) === plain(flair);
}

export async function findComment(session: Session, item: PublishItem): AdapterResult<PublishedPart | null> {
  const recent = await listRecent(session, item, 'comments', comments);
  if (!recent.ok) return recent;
  const found = resolveSingleMatch(
    recent.value.filter(
      ({ parent_id: parent, body }) =>
        parent === item.replyTo?.parent.externalId && normalizeText(body) === normalizeText(bodyOf(item)),
    ),
  );
  if (!found.ok || !found.value) return found.ok ? ok(null) : found;
  return whereShown(found.value, commentPart(found.value));
}

interface ListingPage<Listed> {
  readonly data: {
    readonly after?: string | null | undefined;
    readonly children: readonly { readonly data: Listed }[];
  };
}

/** What the account has created since the item was due. */
const listRecent = <Listed extends { readonly created_utc: number }>(
  session: Session,
  item: PublishItem,
  what: 'submitted' | 'comments',
  schema: z.ZodType<ListingPage<Listed>>,
): AdapterResult<readonly Listed[]> =>
  findRecentPosts(
    item,
    async (after) => {
      const path = `/user/${encodeURIComponent(session.account.username ?? '')}/${what}`;
      const query = { sort: 'new', limit: PAGE, after };
      const listed = await readJson(session, path, schema, query, undefined, BYTES_MAX);
      if (!listed.ok) return listed;
      const { children, after: next } = listed.value.data;
      return ok({ found: children.map(({ data }) => data), next: next ?? undefined });
    },
    {
      pagesMax: PAGES_MAX,
      newestFirst: true,
      createdAtOf: ({ created_utc: seconds }) => new Date(seconds * 1_000).toISOString(),
    },
  );

const isInSubreddit = ({ subreddit }: ListedPost, item: PublishItem): boolean =>
  subreddit.toLowerCase() === subredditOf(item).toLowerCase();

/** The same text in the same place. */
const hasSameContent = (post: ListedPost, item: PublishItem): boolean =>
  !post.crosspost_parent &&
  post.is_self === (item.mediaCount === 0 && item.link === null) &&
  isInSubreddit(post, item) &&
  normalizeText(post.title) === normalizeText(item.title ?? '') &&
  normalizeText(post.selftext) === normalizeText(bodyOf(item));

const isSameLink = (one: string | null | undefined, other: string | null): boolean => {
  const plain = (url: string) => (URL.canParse(url) ? new URL(url).href : url);
  return one != null && other !== null && plain(one) === plain(other);
};

/** A crosspost of the account's own post has the same uploads. */
function hasUploads(post: ListedPost, assets: readonly string[]): boolean {
  if (post.crosspost_parent) return false;
  const shown = post.gallery_data?.items.map(({ media_id: id }) => id) ?? [hostedAssetId(post.url ?? '')];
  return shown.length === assets.length && shown.every((id, at) => id === assets[at]);
}

/** `https://i.redd.it/54xujey7y8b21.gif`, `https://v.redd.it/fmng6wpyyw261`. */
const hostedAssetId = (url: string): string =>
  /^https:\/\/[iv]\.redd\.it\/(?:[^/?]*-)?([a-z0-9]+)(?:[./?]|$)/.exec(url)?.[1] ?? '';
