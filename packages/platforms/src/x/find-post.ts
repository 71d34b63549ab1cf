import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import {
  findRecentPosts,
  resolveSingleMatch,
  resolveSingleMatchWithOptions,
  type ListedPage,
} from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { uploadedMediaIds } from '@switchboard/platform-kit/resumable-uploads';
import { optionsFor, isQuote, rules } from './rules.js';
import type { z } from 'zod';
import { requestPosts } from './post-fields.js';
import { timeline, type ListedPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 5;
const FIELDS = [
  'created_at',
  'conversation_id',
  'referenced_tweets',
  'attachments',
  'entities',
  'note_tweet',
  'reply_settings',
  'community_id',
  'paid_partnership',
];
/** How a post may refer to another. */
const REFERENCES = ['quoted', 'replied_to', 'retweeted'];
/** A longer text is complete only in `note_tweet`. In weighted characters. */
const SHORT_MAX = 280;
/** The length of the beginning of a long text that is compared if the rest is not returned. */
const PREFIX_LENGTH = 100;

/**
 * The account's post that is this item: created since it was due, with its uploads, which belong to no other;
 * one without media with the same text, in the same place. Null: there is none.
 */
export async function findPost(session: Session, item: PublishItem): AdapterResult<ListedPost | null> {
  if (isQuote(item)) {
    return refuse('platform.outcome_unknown', 'Quote posts, which X no longer offers, are not read back.');
  }
  const media = uploadedMediaIds(item);
  // All media is uploaded, and its IDs stored, before a post is sent.
  if (media === null && !item.isReceiptOutdated) return ok(null);
  const recent = await findRecentPosts(item, (token, since) => timelinePage(session, since, token), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: (post) => post.created_at ?? '',
  });
  if (!recent.ok) return recent;
  const own = media?.length ? recent.value.filter((post) => hasUploads(post, media)) : [];
  const same = recent.value.filter((post) => hasAsManyMedia(post, item) && hasSameText(post, item));
  // If a field has neither name, the match is unknown: then nothing is sent again.
  if (own.length === 0 && same.some((post) => hasSameParent(post, item) === null)) {
    return refuse('platform.outcome_unknown', 'X does not report the parent of a similar post.');
  }
  const similar = same.filter((post) => hasSameParent(post, item));
  if (item.mediaCount === 0) {
    const cut = recent.value.some((post) => hasAsManyMedia(post, item) && hasSamePrefix(post, item));
    if (similar.length === 0 && cut) {
      return refuse(
        'platform.outcome_unknown',
        'X does not return the whole text of a post with the same beginning.',
      );
    }
    return resolveSingleMatchWithOptions(similar, (post) => isAsAsked(post, item));
  }
  return own.length === 0 && similar.length > 0
    ? refuse('platform.outcome_unknown', 'The account has since published a similar post.')
    : resolveSingleMatch(own);
}

/** A media key ends in the ID of the upload. */
function hasUploads({ attachments }: ListedPost, media: readonly string[]): boolean {
  const shown = (attachments?.media_keys ?? []).map((key) => key.replace(/^\d+_/, ''));
  return shown.length === media.length && media.every((id) => shown.includes(id));
}

async function timelinePage(
  session: Session,
  since: Date,
  token: string | undefined,
): AdapterResult<ListedPage<ListedPost>> {
  const listed = await requestPosts(
    session,
    `/2/users/${encodeURIComponent(session.account.id)}/tweets`,
    {
      max_results: PAGE,
      exclude: 'retweets',
      // To the second: X does not accept fractions.
      start_time: since.toISOString().replace(/\.\d+Z$/, 'Z'),
      pagination_token: token,
    },
    FIELDS,
    timeline,
    isDated,
  );
  if (!listed.ok) return listed;
  const { data, meta, errors } = listed.value;
  if (!isDated(listed.value))
    return refuse('platform.outcome_unknown', 'X does not report the creation time of posts.');
  // Posts that are counted but not returned might be this one, too.
  if ((errors && errors.length > 0) || (data ?? []).length < (meta.result_count ?? 0)) {
    return refuse('platform.outcome_unknown', 'X does not return all posts of the account.');
  }
  return ok({ found: data ?? [], next: meta.next_token ?? undefined });
}

const isDated = ({ data }: z.infer<typeof timeline>): boolean =>
  (data ?? []).every((post) => post.created_at != null);

const hasAsManyMedia = ({ attachments }: ListedPost, { mediaCount }: PublishItem): boolean =>
  (attachments?.media_keys ?? []).length === mediaCount;

/** Whether it replies to the same post as the item, or to none; null if X reports it under neither name. */
function hasSameParent(
  { id, references, conversation_id: conversation }: ListedPost,
  item: PublishItem,
): boolean | null {
  const requested = item.replyTo?.parent.externalId ?? null;
  if (references?.some(({ type }) => !REFERENCES.includes(type))) return null;
  if (references) return (references.find(({ type }) => type === 'replied_to')?.id ?? null) === requested;
  if (conversation == null) return null;
  if (conversation === id) return requested === null;
  return requested === null ? false : null;
}

/** The reply setting of a post without a requested one, and X's value for settings that it does not name. */
const [ANYONE, UNNAMED] = ['everyone', 'other'];

/** With the options that X returns of a post; those of a conversation only for its first post. */
function isAsAsked(post: ListedPost, item: PublishItem): boolean {
  const requested = optionsFor(item);
  const replies = post.reply_settings ?? ANYONE;
  return (
    (post.paid_partnership ?? false) === (requested.paid_partnership ?? false) &&
    (item.replyTo !== null ||
      ((post.community_id ?? undefined) === requested.community_id &&
        (replies === UNNAMED || replies === (requested.reply_settings ?? ANYONE))))
  );
}

const hasSameText = (post: ListedPost, item: PublishItem): boolean =>
  normalizeForComparison(originalTextOf(post)) === normalizeForComparison(rules.finalText(item));

/** Whether it may be a long item of which only the beginning is returned. */
function hasSamePrefix(post: ListedPost, item: PublishItem): boolean {
  const text = rules.finalText(item);
  if (post.note !== null || rules.count(text) <= SHORT_MAX) return false;
  const beginning = normalizeForComparison(originalTextOf(post)).slice(0, PREFIX_LENGTH);
  return beginning.length === PREFIX_LENGTH && normalizeForComparison(text).startsWith(beginning);
}

/** X returns its own links, an additional one to the media at the end, and escaped HTML characters. */
function originalTextOf(post: ListedPost): string {
  const { text, entities } = post.note ?? post;
  const links = entities?.urls ?? [];
  const own = links.reduce(
    (stated, { url, expanded_url: expanded, media_key: key }) =>
      stated.replaceAll(url, () => (key ? '' : (expanded ?? url))),
    text,
  );
  return own.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * A URL written without a protocol is returned with one: both are compared without the protocol and the
 * trailing slash.
 */
const normalizeForComparison = (text: string): string =>
  normalizeText(text.replace(/https?:\/\//gi, '').replace(/\/(?=\s|$)/g, ''));
