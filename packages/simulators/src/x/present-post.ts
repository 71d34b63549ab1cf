import { pickFields } from '../wire/exchange.js';
import type { XMedia } from './media-routes.js';
import type { PostStore, XPost } from './post-store.js';

/**
 * `tweets`: as since 2021. `posts`: both parameters are accepted, and responses use the names of the
 * description of 2026-08-07.⏎`posts_only`: the older parameter is rejected. `neither`: renamed fields are
 * missing from responses.
 */
export type FieldNaming = 'tweets' | 'posts' | 'posts_only' | 'neither';

export const TEXT_MAX = 280;
/** With or without a scheme: X links both. */
const LINK = /https?:\/\/\S+|(?<![\w@.])(?:[a-z0-9-]+\.)+(?:com|org|net|example)\b(?:\/\S*)?/giu;

/** The post's requested fields, whose names X changed in 2026. */
export function presentPost(one: XPost, fields: readonly string[], names: FieldNaming, posts: PostStore) {
  const post = byOlderNames(one, fields, posts);
  const renamed = (name: string) => {
    if (names === 'tweets' || !RENAMED.includes(name)) return name;
    return names === 'neither' ? null : name.replace('tweet', 'post');
  };
  return Object.fromEntries(
    Object.entries(post).flatMap(([name, value]) => {
      const shown = renamed(name);
      return shown === null ? [] : [[shown, value]];
    }),
  );
}
const RENAMED = ['note_tweet', 'referenced_tweets', 'conversation_id'];

function conversationOf(one: XPost, posts: PostStore): string {
  const parent = one.inReplyToId === null ? null : posts.find(one.inReplyToId);
  return parent ? conversationOf(parent, posts) : (one.inReplyToId ?? one.id);
}

function byOlderNames(one: XPost, fields: readonly string[], posts: PostStore) {
  const urls = [...one.text.matchAll(LINK)].map(([link], at) => ({
    url: shortened(one.id, at),
    expanded_url: /^https?:/i.test(link) ? link : `http://${link}`,
  }));
  const quoted = one.quotedId === null ? [] : [quotedLink(one.id, one.quotedId)];
  const images = one.media.map(({ key }) => ({
    url: `https://t.co/m${one.id.slice(-8)}`,
    media_key: key,
  }));
  const references = [
    ...(one.inReplyToId === null ? [] : [{ type: 'replied_to', id: one.inReplyToId }]),
    ...(one.quotedId === null ? [] : [{ type: 'quoted', id: one.quotedId }]),
  ];
  const entities = [...urls, ...quoted, ...images];
  return {
    id: one.id,
    text: shownText(one),
    edit_history_tweet_ids: [one.id],
    ...pickFields(
      {
        note_tweet: isLong(one) ? { text: linked(one), entities: { urls } } : undefined,
        conversation_id: conversationOf(one, posts),
        created_at: one.createdAt.toISOString(),
        referenced_tweets: references.length > 0 ? references : undefined,
        attachments: one.media.length > 0 ? { media_keys: one.media.map(({ key }) => key) } : undefined,
        entities: entities.length > 0 ? { urls: entities } : undefined,
        reply_settings: one.replySettings || 'everyone',
        community_id: one.communityId ?? undefined,
        paid_partnership: one.paidPartnership,
        public_metrics: {
          retweet_count: 4,
          reply_count: 2,
          like_count: 3,
          quote_count: 1,
          bookmark_count: 5,
          impression_count: 120,
        },
        non_public_metrics: { impression_count: 120, url_link_clicks: 7, user_profile_clicks: 1 },
      },
      fields,
    ),
  };
}

/** Only videos are counted. */
export const presentMedia = ({ key, category }: XMedia, fields: readonly string[]) => ({
  media_key: key,
  type: category === 'tweet_video' ? 'video' : 'photo',
  ...(category === 'tweet_video' &&
    fields.includes('public_metrics') && { public_metrics: { view_count: 64 } }),
});

const shortened = (id: string, at: number) => `https://t.co/${id.slice(-8)}${at}`;

const isLong = ({ text }: XPost): boolean => weightOf(text) > TEXT_MAX;

/** The returned text: every link is replaced with one of X's own. */
function linked({ id, text }: XPost): string {
  let at = 0;
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(LINK, () => shortened(id, at++));
}

const quotedLink = (id: string, quotedId: string) => ({
  url: `https://t.co/q${id.slice(-8)}`,
  expanded_url: `https://twitter.com/somebody/status/${quotedId}`,
});

/** A link to the quoted post or the media is appended; a long text is truncated. */
export function shownText(post: XPost): string {
  const stated = isLong(post) ? `${linked(post).slice(0, 270)}…` : linked(post);
  if (post.quotedId !== null) return `${stated} ${quotedLink(post.id, post.quotedId).url}`.trim();
  return post.media.length > 0 ? `${stated} https://t.co/m${post.id.slice(-8)}`.trim() : stated;
}

export const notFound = (id: string) => ({
  value: id,
  resource_id: id,
  title: 'Not Found Error',
  detail: `Could not find tweet with ids: [${id}].`,
  type: 'https://api.twitter.com/2/problems/resource-not-found',
});

export const notAuthorized = (id: string) => ({
  resource_id: id,
  field: 'non_public_metrics',
  title: 'Field Authorization Error',
  detail: `Sorry, you are not authorized to access 'non_public_metrics' on the Tweet with ids : [${id}].`,
  type: 'https://api.twitter.com/2/problems/not-authorized-for-field',
});

/** X's documented count: a link 23, most European characters one, all others two, and every emoji two. */
export function weightOf(text: string): number {
  const counted = text.normalize('NFC').replace(LINK, 'x'.repeat(23));
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(counted)]
    .map(({ segment }) =>
      /\p{Extended_Pictographic}/u.test(segment)
        ? 2
        : [...segment].reduce((sum, one) => sum + weightOfOne(one), 0),
    )
    .reduce((sum, one) => sum + one, 0);
}

function weightOfOne(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const light =
    code <= 4_351 ||
    (code >= 8_192 && code <= 8_205) ||
    (code >= 8_208 && code <= 8_223) ||
    (code >= 8_242 && code <= 8_247);
  return light ? 1 : 2;
}
