import { ok, refuse, type PublishedPart, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import type { z } from 'zod';
import { listedSince, onlyOne, onlyOneAsAsked } from '../kit/look-back.js';
import { plainWords } from '../kit/plain-words.js';
import { read } from './ask.js';
import { assetsIn } from './media.js';
import { findMade, madePost, whereShown } from './post-state.js';
import { bodyOf, optionsOf, subredditOf } from './rules.js';
import { comments, posts, type ListedComment, type ListedPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 5;
/** A hundred long posts, each of them twice: as it was written, and as HTML. */
const BYTES_MAX = 16 * 1024 * 1024;

/** Where a post or comment stands. */
export const partOf = (externalId: string, url: string): PublishedPart => ({ externalId, url, receipt: {} });

export const postPart = ({ name, permalink }: Pick<ListedPost, 'name' | 'permalink'>): PublishedPart =>
  partOf(name, `https://www.reddit.com${permalink}`);

export const commentPart = ({ name, link_id: post, permalink }: ListedComment): PublishedPart =>
  partOf(
    name,
    `https://www.reddit.com${permalink ?? `/comments/${post.replace('t3_', '')}/_/${name.replace('t1_', '')}`}`,
  );

/** The account's post that is this item, where it is shown to everybody. */
export async function findPost(session: Session, item: PublishItem): Answer<PublishedPart | null> {
  const made = madePost(item);
  if (made) return findMade(session, made);
  const found = await findListed(session, item);
  if (!found.ok || !found.value) return found.ok ? ok(null) : found;
  return whereShown(found.value, postPart(found.value));
}

/** The same as the account's own list has it. Media tell it from every other by the ids of their uploads. */
export async function findListed(session: Session, item: PublishItem): Answer<ListedPost | null> {
  const assets = assetsIn(item.receipt).map(({ id }) => id);
  // What is uploaded is remembered before it is posted.
  if (assets.length < item.mediaCount) return ok(null);
  const recent = await since(session, item, 'submitted', posts);
  if (!recent.ok) return recent;
  const alike = recent.value.filter((post) => isInPlace(post, item));
  const found = onlyOneAsAsked(
    item.mediaCount > 0
      ? recent.value.filter((post) => carries(post, assets.slice(0, item.mediaCount)))
      : alike.filter((post) => post.is_self || isSameLink(post.url, item.link)),
    (post) => isAsAsked(post, item),
  );
  if (!found.ok || found.value) return found;
  if (recent.value.some((post) => isRewritten(post) && isInSubreddit(post, item)))
    return refuse('platform.outcome_unknown', 'Reddit has removed one there since, with its words.');
  // Reddit may have written a link, or the address of a file, in another way than we know.
  if (alike.length > 0)
    return refuse(
      'platform.outcome_unknown',
      'The account has posted one that is alike but for what it shows.',
    );
  return ok(null);
}

/** Of what breaks Reddit's own rules the words are gone, for its author too. */
const isRewritten = ({ title, selftext }: ListedPost): boolean =>
  [title, selftext].some((words) => /^\[ ?(removed|deleted)\b/i.test(words));

/** Marked as was asked for; what is known by its uploads is the item however it is marked since. */
function isAsAsked(post: ListedPost, item: PublishItem): boolean {
  const { over_18: nsfw, spoiler, send_replies: sendReplies } = post;
  const asked = optionsOf(item);
  return (
    item.mediaCount > 0 ||
    (hasFlair(post, asked) &&
      (nsfw ?? asked.nsfw ?? false) === (asked.nsfw ?? false) &&
      (spoiler ?? asked.spoiler ?? false) === (asked.spoiler ?? false) &&
      (sendReplies ?? asked.send_replies ?? true) === (asked.send_replies ?? true))
  );
}

/** With the words of its own that were asked for; else by its id or its words; without one where none was. */
function hasFlair(
  { link_flair_text: text, link_flair_template_id: id }: ListedPost,
  { flair, flair_text: ownText }: ReturnType<typeof optionsOf>,
): boolean {
  const plain = (words: string | null | undefined) => plainWords(words ?? '').toLowerCase();
  if (flair === undefined) return !id && plain(text) === '';
  if (ownText !== undefined) return plain(text) === plain(ownText);
  return id === flair || plain(text) === plain(flair);
}

/** The account's comment that is this item. */
export async function findComment(session: Session, item: PublishItem): Answer<PublishedPart | null> {
  const recent = await since(session, item, 'comments', comments);
  if (!recent.ok) return recent;
  const found = onlyOne(
    recent.value.filter(
      ({ parent_id: parent, body }) =>
        parent === item.answers?.parent.externalId && plainWords(body) === plainWords(bodyOf(item)),
    ),
  );
  if (!found.ok || !found.value) return found.ok ? ok(null) : found;
  return whereShown(found.value, commentPart(found.value));
}

interface Listing<Listed> {
  readonly data: {
    readonly after?: string | null | undefined;
    readonly children: readonly { readonly data: Listed }[];
  };
}

/** What the account has made since the item was due. */
const since = <Listed extends { readonly created_utc: number }>(
  session: Session,
  item: PublishItem,
  what: 'submitted' | 'comments',
  schema: z.ZodType<Listing<Listed>>,
): Answer<readonly Listed[]> =>
  listedSince(
    item,
    async (after) => {
      const path = `/user/${encodeURIComponent(session.account.username ?? '')}/${what}`;
      const query = { sort: 'new', limit: PAGE, after };
      const listed = await read(session, path, schema, query, undefined, BYTES_MAX);
      if (!listed.ok) return listed;
      const { children, after: next } = listed.value.data;
      return ok({ found: children.map(({ data }) => data), next: next ?? undefined });
    },
    {
      pagesMax: PAGES_MAX,
      newestFirst: true,
      madeAt: ({ created_utc: seconds }) => new Date(seconds * 1_000).toISOString(),
    },
  );

const isInSubreddit = ({ subreddit }: ListedPost, item: PublishItem): boolean =>
  subreddit.toLowerCase() === subredditOf(item).toLowerCase();

/** The same words in the same place. */
const isInPlace = (post: ListedPost, item: PublishItem): boolean =>
  !post.crosspost_parent &&
  post.is_self === (item.mediaCount === 0 && item.link === null) &&
  isInSubreddit(post, item) &&
  plainWords(post.title) === plainWords(item.title ?? '') &&
  plainWords(post.selftext) === plainWords(bodyOf(item));

const isSameLink = (one: string | null | undefined, other: string | null): boolean => {
  const plain = (url: string) => (URL.canParse(url) ? new URL(url).href : url);
  return one != null && other !== null && plain(one) === plain(other);
};

/** A crosspost of one's own carries the same. */
function carries(post: ListedPost, assets: readonly string[]): boolean {
  if (post.crosspost_parent) return false;
  const shown = post.gallery_data?.items.map(({ media_id: id }) => id) ?? [hostedId(post.url ?? '')];
  return shown.length === assets.length && shown.every((id, at) => id === assets[at]);
}

/** `https://i.redd.it/54xujey7y8b21.gif`, `https://v.redd.it/fmng6wpyyw261`. */
const hostedId = (url: string): string =>
  /^https:\/\/[iv]\.redd\.it\/(?:[^/?]*-)?([a-z0-9]+)(?:[./?]|$)/.exec(url)?.[1] ?? '';
