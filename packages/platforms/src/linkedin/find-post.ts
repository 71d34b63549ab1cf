import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { plainWords } from '../kit/plain-words.js';
import { ask, inUrl } from './ask.js';
import { littleText, plainText } from './little-text.js';
import { uploadedMedia } from './media.js';
import { cannotBeRead, CLOCKS_MS, mayRead, onlyOne } from './reading.js';
import { cardLink, finalText } from './rules.js';
import { listedPosts, type ListedPost } from './wire.js';

type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

const PAGE = 100;
const PAGES_MAX = 3;
const LINK = /https?:\/\/\S+/giu;
/** What LinkedIn may write in place of a link that is long. */
const SHORTENED = /^https:\/\/lnkd\.in\//i;

/** The account's post that is this item. */
export async function findPost(session: Session, item: PublishItem): Answer<ListedPost | null> {
  const media = uploadedMedia(item);
  // All of it is uploaded, and remembered, before a post is sent.
  if (media === null) return ok(null);
  if (!mayRead(session, 'r_member_social')) return cannotBeRead('post');
  const recent = await postsSince(session, item.createdAt.getTime() - CLOCKS_MS);
  if (!recent.ok) return recent;
  return onlyOne(
    recent.value.filter((post) => isItem(post, item, media)),
    'post',
  );
}

async function postsSince(session: Session, since: number): Answer<readonly ListedPost[]> {
  const found: ListedPost[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const place = `author=${inUrl(session.account.id)}&q=author&start=${page * PAGE}&count=${PAGE}&sortBy=CREATED`;
    const listed = await ask(
      session,
      {
        method: 'GET',
        path: `/rest/posts?${place}`,
        headers: { 'x-restli-method': 'FINDER' },
        effect: 'read',
      },
      listedPosts,
    );
    if (!listed.ok) return listed;
    const { elements } = listed.value;
    const recent = elements.filter(({ createdAt }) => createdAt >= since);
    found.push(...recent);
    if (elements.length < PAGE || recent.length < elements.length) return ok(found);
  }
  return refuse('platform.outcome_unknown', 'The account has posted more since than can be looked through.');
}

/** An upload belongs to one post alone. A post without any is known by its words and its link. */
function isItem({ content, commentary }: ListedPost, item: PublishItem, media: readonly string[]): boolean {
  const shown = content?.multiImage?.images ?? (content?.media ? [content.media] : []);
  if (media.length !== shown.length) return false;
  if (media.length > 0) return shown.every(({ id }, at) => id === media[at]);
  const words = plainText(littleText(finalText(item)));
  return (
    (content?.article?.source ?? null) === cardLink(item) && sameWords(plainText(commentary ?? ''), words)
  );
}

function sameWords(listed: string, ours: string): boolean {
  const theirLinks: readonly string[] = listed.match(LINK) ?? [];
  const ourLinks: readonly string[] = ours.match(LINK) ?? [];
  return (
    plainWords(listed.replace(LINK, ' % ')) === plainWords(ours.replace(LINK, ' % ')) &&
    theirLinks.length === ourLinks.length &&
    theirLinks.every((link, at) => link === ourLinks[at] || SHORTENED.test(link))
  );
}
