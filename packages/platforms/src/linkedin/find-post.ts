import {
  ok,
  type PlatformFailureCode,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { listedSince, onlyOne, type ListedPage } from '../kit/look-back.js';
import { plainWords } from '../kit/plain-words.js';
import { ask, inUrl } from './ask.js';
import { littleText, plainText } from './little-text.js';
import { uploadedMedia } from './media.js';
import { cannotBeRead, mayRead, PAGE, pageOf, timeOf } from './reading.js';
import { cardLink, finalText } from './rules.js';
import { listedPosts, type ListedPost } from './wire.js';

type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

const LINK = /https?:\/\/\S+/giu;
/** What LinkedIn may write in place of a link that is long. */
const SHORTENED = /^https:\/\/lnkd\.in\//i;

/** The account's post that is this item. */
export async function findPost(session: Session, item: PublishItem): Answer<ListedPost | null> {
  const media = uploadedMedia(item);
  // All of it is uploaded, and remembered, before a post is sent.
  if (media === null) return ok(null);
  if (!mayRead(session, 'r_member_social')) return cannotBeRead('post');
  const recent = await listedSince(item, (start) => postsFrom(session, Number(start ?? 0)), {
    ...{ newestFirst: true, pagesMax: 3 },
    madeAt: ({ createdAt }) => timeOf(createdAt),
  });
  return recent.ok ? onlyOne(recent.value.filter((post) => isItem(post, item, media))) : recent;
}

async function postsFrom(session: Session, start: number): Answer<ListedPage<ListedPost>> {
  const query = `author=${inUrl(session.account.id)}&q=author&start=${start}&count=${PAGE}&sortBy=CREATED`;
  const headers = { 'x-restli-method': 'FINDER' };
  const request = { method: 'GET', path: `/rest/posts?${query}`, headers, effect: 'read' } as const;
  const listed = await ask(session, request, listedPosts);
  return listed.ok ? ok(pageOf(start, listed.value.elements)) : listed;
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
