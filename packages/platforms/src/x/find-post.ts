import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { plainWords } from '../kit/plain-words.js';
import { rules } from './rules.js';
import { dialect, timeline, type ListedPost } from './wire.js';

const PAGE = 100;
const PAGES_MAX = 5;
/** How far X's clock may be behind ours. */
const CLOCKS_MS = 5_000;

/** The account's post that is this item: made since it was due, with the same words, in the same place. Null: there is none. */
export async function findPost(
  session: Session,
  item: PublishItem,
): Promise<Result<ListedPost | null, PlatformFailureCode>> {
  const recent = await postsSince(session, new Date(item.createdAt.getTime() - CLOCKS_MS));
  if (!recent.ok) return recent;
  const same = recent.value.filter((post) => isInPlace(post, item) && saysItem(post, item));
  const [only, ...others] = rules.finalText(item).trim() === '' ? ofItsMedia(same, item) : same;
  if (others.length > 0)
    return refuse('platform.outcome_unknown', 'Several posts of the account have this text.');
  // Somebody else's pictures without words look the same.
  return !only && same.length > 0
    ? refuse('platform.outcome_unknown', 'The account has posted media without words since.')
    : ok(only ?? null);
}

/** A medium's key ends in the id that it was uploaded under, which an attempt remembers. */
const ofItsMedia = (posts: readonly ListedPost[], { receipt }: PublishItem): readonly ListedPost[] =>
  posts.filter(({ attachments }) =>
    (attachments?.media_keys ?? []).every((key) => Object.values(receipt).includes(key.replace(/^\d+_/, ''))),
  );

async function postsSince(
  session: Session,
  since: Date,
): Promise<Result<readonly ListedPost[], PlatformFailureCode>> {
  const found: ListedPost[] = [];
  let token: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const listed = await ask(
      session,
      dialect,
      {
        method: 'GET',
        path: `/2/users/${encodeURIComponent(session.account.id)}/tweets`,
        query: {
          max_results: PAGE,
          exclude: 'retweets',
          // To the second: X takes no fractions.
          start_time: since.toISOString().replace(/\.\d+Z$/, 'Z'),
          'tweet.fields': 'created_at,referenced_tweets,attachments,entities',
          pagination_token: token,
        },
        effect: 'read',
      },
      timeline,
    );
    if (!listed.ok) return listed;
    found.push(...(listed.value.data ?? []));
    token = listed.value.meta.next_token ?? undefined;
    if (token === undefined) return ok(found);
  }
  return refuse('platform.outcome_unknown', 'The account has posted more since than can be looked through.');
}

/** It answers what the item answers, which may be nothing, and carries as many media. */
function isInPlace(post: ListedPost, { answers, mediaCount }: PublishItem): boolean {
  const answered = post.referenced_tweets?.find(({ type }) => type === 'replied_to')?.id ?? null;
  const media = post.attachments?.media_keys ?? [];
  return answered === (answers?.parent.externalId ?? null) && media.length === mediaCount;
}

const saysItem = (post: ListedPost, item: PublishItem): boolean =>
  plain(asSent(post)) === plain(rules.finalText(item));

/** X answers with links of its own, one more to the media at the end, and what HTML would read as its own escaped. */
function asSent({ text, entities }: ListedPost): string {
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
