import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import {
  findRecentPosts,
  resolveSingleMatch,
  resolveSingleMatchWithOptions,
} from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { plainTextOf } from '@switchboard/platform-kit/plain-text-of';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { comment, listPosts, requestJson, utc, type Comment, type Post } from './client.js';
import { contentOf, imageBlock, isSame, textWithLink } from './content.js';
import { optionsOf, postList } from './manifest.js';
import { uploadedImages } from './media.js';

const PAGES_MAX = 10;
const COMMENTS_PER_PAGE = 100;

/** The account's post that is this item: with its title and its content, which names its own images. */
export async function findPost(session: Session, item: PublishItem): AdapterResult<Post | null> {
  const images = uploadedImages(item);
  if (images === null) {
    return item.isReceiptOutdated
      ? refuse('platform.outcome_unknown', 'The images of the post are unknown, so that it cannot be found.')
      : ok(null);
  }
  const recent = await findRecentPosts(
    item,
    async (page = '1') => {
      const listed = await listPosts(session, Number(page), postList.postsPerPage);
      if (!listed.ok) return listed;
      const isLast = listed.value.length < postList.postsPerPage;
      return ok({ found: listed.value, next: isLast ? undefined : String(Number(page) + 1) });
    },
    { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf: ({ date_gmt: time }) => utc(time) },
  );
  if (!recent.ok) return recent;
  const { category, excerpt = '' } = optionsOf(item);
  const content = contentOf(item, images.map(imageBlock));
  const same = recent.value.filter(
    (one) => isSame(one.title.raw, item.title ?? '') && isSame(one.content.raw, content),
  );
  return resolveSingleMatchWithOptions(
    same,
    (one) =>
      isSame(one.excerpt.raw, excerpt) &&
      (category === undefined || one.categories.includes(Number(category))),
  );
}

/** Only moderators may read a comment as it was written, so that it is compared as it is shown. */
export async function findComment(
  session: Session,
  item: PublishItem,
  postId: number,
): AdapterResult<Comment | null> {
  const recent = await findRecentPosts(
    item,
    async (page = '1') => {
      const query = {
        post: postId,
        author: session.account.id,
        order: 'desc',
        page: Number(page),
        per_page: COMMENTS_PER_PAGE,
      };
      const listed = await requestJson(session, { path: '/comments', query }, z.array(comment));
      if (!listed.ok) return listed;
      const isLast = listed.value.length < COMMENTS_PER_PAGE;
      return ok({ found: listed.value, next: isLast ? undefined : String(Number(page) + 1) });
    },
    { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf: ({ date_gmt: time }) => utc(time) },
  );
  if (!recent.ok) return recent;
  const own = asShown(textWithLink(item));
  return resolveSingleMatch(
    recent.value.filter(
      ({ post, parent, content }) =>
        post === postId && parent === 0 && asShown(plainTextOf(content.rendered)) === own,
    ),
  );
}

/** What a site shows as an emoji: https://developer.wordpress.org/reference/functions/smilies_init/ */
const SMILIES =
  /(?<!\S)(?::(?:mrgreen|neutral|twisted|arrow|shock|smile|\?{3}|cool|evil|grin|idea|oops|razz|roll|wink|cry|eek|lol|mad|sad|[!?]):|8-\)|8-?O|[:;]-?[()?DPox|])(?!\S)|[😐😈😯🙂😕😎👿😀💡😳😛🙄😉😥😮😆😡🙁❗❓➡]/gu;
/** And by typographic characters: https://developer.wordpress.org/reference/functions/wptexturize/ */
const TYPOGRAPHIC = /\(tm\)|[™'"`´‘’“”′″–—…×x.-]/giu;

/** Without the characters that a site replaces when it shows a comment. */
const asShown = (text: string): string =>
  normalizeText(text.replace(SMILIES, '').replace(TYPOGRAPHIC, '')).toLowerCase();
