import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { listedSince, onlyOne, type ListedPage } from '../kit/look-back.js';
import { plainWords } from '../kit/plain-words.js';
import { uploadedMedia } from '../kit/uploaded-media.js';
import { optionsFor, rules } from './rules.js';
import { ask, timeline, type ListedPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 5;

/**
 * The account's post that is this item: made since it was due, with its uploads, which belong to no other; one without media
 * with the same words, in the same place. Null: there is none.
 */
export async function findPost(session: Session, item: PublishItem): Answer<ListedPost | null> {
  const media = uploadedMedia(item);
  // All of it is uploaded, and remembered, before a post is sent.
  if (media === null) return ok(null);
  const recent = await listedSince(item, (token, since) => timelinePage(session, since, token), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    madeAt: (post) => post.created_at,
  });
  if (!recent.ok) return recent;
  const alike = recent.value.filter((post) => isInPlace(post, item) && saysItem(post, item));
  if (media.length === 0) return onlyOne(alike);
  const own = recent.value.filter((post) => carries(post, media));
  return own.length === 0 && alike.length > 0
    ? refuse('platform.outcome_unknown', 'The account has posted something since that looks like this.')
    : onlyOne(own);
}

/** A medium's key ends in the id that it was uploaded under. */
function carries({ attachments }: ListedPost, media: readonly string[]): boolean {
  const shown = (attachments?.media_keys ?? []).map((key) => key.replace(/^\d+_/, ''));
  return shown.length === media.length && media.every((id) => shown.includes(id));
}

async function timelinePage(
  session: Session,
  since: Date,
  token: string | undefined,
): Answer<ListedPage<ListedPost>> {
  const listed = await ask(
    session,
    {
      method: 'GET',
      path: `/2/users/${encodeURIComponent(session.account.id)}/tweets`,
      query: {
        max_results: PAGE,
        exclude: 'retweets',
        // To the second: X takes no fractions.
        start_time: since.toISOString().replace(/\.\d+Z$/, 'Z'),
        'tweet.fields': 'created_at,referenced_tweets,attachments,entities,note_tweet',
        pagination_token: token,
      },
      effect: 'read',
    },
    timeline,
  );
  if (!listed.ok) return listed;
  const { data, meta } = listed.value;
  return ok({ found: data ?? [], next: meta.next_token ?? undefined });
}

/** It answers what the item answers, and quotes what it quotes, which may be nothing, and carries as many media. */
function isInPlace(post: ListedPost, item: PublishItem): boolean {
  const referred = (how: string) => post.referenced_tweets?.find(({ type }) => type === how)?.id ?? null;
  const quoted = quotedBy(item);
  return (
    referred('replied_to') === (item.answers?.parent.externalId ?? null) &&
    (quoted === undefined || referred('quoted') === quoted) &&
    (post.attachments?.media_keys ?? []).length === item.mediaCount
  );
}

const quotedBy = (item: PublishItem): string | undefined => optionsFor(item).quote_tweet_id;

/** X writes a link to what is quoted at the end. */
function saysItem(post: ListedPost, item: PublishItem): boolean {
  const said = asSent(post);
  const quoted = quotedBy(item);
  const bare = quoted === undefined ? said : said.replace(new RegExp(`\\s*\\S+/status/${quoted}$`), '');
  return [said, bare].some((words) => plain(words) === plain(rules.finalText(item)));
}

/** X answers with links of its own, one more to the media at the end, and what HTML would read as its own escaped. */
function asSent(post: ListedPost): string {
  const { text, entities } = post.note_tweet ?? post;
  const links = entities?.urls ?? [];
  const own = links.reduce(
    (said, { url, expanded_url: expanded, media_key: key }) =>
      said.replaceAll(url, () => (key ? '' : (expanded ?? url))),
    text,
  );
  return own.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** What was written without a protocol is answered with one: both are compared without, and without the slash at an end. */
const plain = (text: string): string =>
  plainWords(text.replace(/https?:\/\//gi, '').replace(/\/(?=\s|$)/g, ''));
