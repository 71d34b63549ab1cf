import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import {
  okResponse,
  fieldsOf,
  textOf,
  textsOf,
  type WireResponse,
  type WireRequest,
} from '../wire/exchange.js';
import { mediaRoutes, type XMedia } from './media-routes.js';
import { postStore, type XPost } from './post-store.js';
import { forbidden, invalid, problem, unauthorized } from './problems.js';

export interface XAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly followers: number;
  readonly subscription?: 'None' | 'Basic' | 'Premium' | 'PremiumPlus';
}

export interface XOptions {
  readonly now?: () => Date;
  readonly account?: XAccount;
  readonly apps?: readonly OAuthApp[];
  /** X rejects a post with identical text; false: it accepts it, for tests of indistinguishable posts. */
  readonly refusesDuplicates?: boolean;
  /** The number of posts per account in fifteen minutes. */
  readonly postsPerWindow?: number;
}

/**
 * `tweets`: as since 2021. `posts`: both parameters are accepted, and responses use the names of the
 * description of 2026-08-07.⏎`posts_only`: the older parameter is rejected. `neither`: renamed fields are
 * missing from responses.
 */
export type FieldNaming = 'tweets' | 'posts' | 'posts_only' | 'neither';

export interface XBearer {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export const X_SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

const ALICE: XAccount = { id: '2244994945', username: 'alice', name: 'Alice', followers: 12 };
const TEXT_MAX = 280;
const LONG_TEXT_MAX = 25_000;
const WINDOW_MS = 15 * 60_000;
const PRIVATE_DAYS = 30;
/** With or without a scheme: X links both. */
const LINK = /https?:\/\/\S+|(?<![\w@.])(?:[a-z0-9-]+\.)+(?:com|org|net|example)\b(?:\/\S*)?/giu;
const REPLY_SETTINGS = ['following', 'mentionedUsers', 'subscribers', 'verified'];

/** X according to docs.x.com, without a socket. */
export function xNetwork(options: XOptions = {}) {
  const { refusesDuplicates = true, postsPerWindow = 100 } = options;
  const now = options.now ?? (() => new Date());
  const account = options.account ?? ALICE;
  const posts = postStore(now);
  const media = mediaRoutes(now);
  const { subscription = 'None' } = account;
  const textMax = subscription === 'None' ? TEXT_MAX : LONG_TEXT_MAX;
  let spent: WireResponse | null = null;
  let keepsPosts = false;
  let returnedMediaCount = 0;
  let setRepliesRequireMention = false;
  let names: FieldNaming = 'tweets';
  const oauth = codeExchange({
    apps: options.apps ?? [],
    now,
    account: account.id,
    knows: (scope) => X_SCOPES.includes(scope),
    paths: { authorize: '/i/oauth2/authorize', token: '/2/oauth2/token', revoke: '/2/oauth2/revoke' },
    clientAuth: 'header',
    pkce: 'required',
    codeSeconds: 30,
    accessSeconds: 7_200,
    refresh: { seconds: 180 * 86_400, rotates: true, fixed: false, scope: 'offline.access' },
  });

  function post(body: unknown, { accountId }: XBearer): WireResponse {
    const recent = posts
      .of(accountId)
      .filter(({ createdAt }) => createdAt.getTime() > now().getTime() - WINDOW_MS);
    if (recent.length >= postsPerWindow) return tooMany(recent.at(-1)?.createdAt ?? now());
    const fields = fieldsOf(body);
    const text = textOf(fields['text']);
    const chosen = media.chosen(accountId, textsOf(fieldsOf(fields['media'])['media_ids']));
    if ('status' in chosen) return chosen;
    if (text.trim() === '' && chosen.length === 0) return invalid('text', 'text is required.');
    if (weightOf(text) > textMax) return problem(403, 'Forbidden', 'Your post text is too long.');
    const replySettings = fields['reply_settings'] === undefined ? '' : textOf(fields['reply_settings']);
    if (fields['reply_settings'] !== undefined && !REPLY_SETTINGS.includes(replySettings)) {
      return invalid('reply_settings', `[${replySettings}] is not one of ${REPLY_SETTINGS.join(', ')}`);
    }
    const inReplyToId = textOf(fieldsOf(fields['reply'])['in_reply_to_tweet_id']) || null;
    if (inReplyToId !== null && replySettings !== '') {
      return invalid('reply_settings', 'reply_settings is of the post that a conversation begins with.');
    }
    if (inReplyToId !== null && !posts.find(inReplyToId)) {
      return problem(
        403,
        'Forbidden',
        'You attempted to reply to a Post that is deleted or not visible to you.',
      );
    }
    const [quotedId, communityId] = ['quote_tweet_id', 'community_id'].map(
      (name) => textOf(fields[name]) || null,
    ) as [string | null, string | null];
    const wrong = [quotedId, communityId].find((id) => id !== null && !/^\d{1,19}$/.test(id));
    if (wrong !== undefined) return invalid('id', `[${wrong}] does not match ^[0-9]{1,19}$`);
    if (quotedId !== null && chosen.length > 0) {
      return invalid('quote_tweet_id', 'media and quote_tweet_id are mutually exclusive.');
    }
    if (inReplyToId !== null && setRepliesRequireMention) return notSummoned;
    const same = posts.of(accountId).some((one) => one.text === text && one.inReplyToId === inReplyToId);
    if (refusesDuplicates && same && chosen.length === 0) {
      return problem(403, 'Forbidden', 'You are not allowed to create a Tweet with duplicate content.');
    }
    const created = posts.post({
      accountId,
      text,
      inReplyToId,
      media: chosen,
      replySettings,
      quotedId,
      communityId,
      sharedWithFollowers: fields['share_with_followers'] === true,
      madeWithAi: fields['made_with_ai'] === true,
      paidPartnership: fields['paid_partnership'] === true,
    });
    return {
      status: 201,
      json: { data: { id: created.id, text: shownText(created), edit_history_tweet_ids: [created.id] } },
    };
  }

  function tooMany(oldest: Date): WireResponse {
    const reset = Math.ceil((oldest.getTime() + WINDOW_MS) / 1_000);
    return {
      ...problem(429, 'Too Many Requests', 'Too Many Requests'),
      headers: {
        'x-rate-limit-limit': '100',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': String(reset),
      },
    };
  }

  function many(query: URLSearchParams): WireResponse {
    const ids = (query.get('ids') ?? '').split(',');
    if (ids.length > 100) return invalid('ids', 'At most 100 ids.');
    const fields = fieldsIn(query);
    if ('status' in fields) return fields;
    const found = ids.flatMap((id) => posts.find(id) ?? []);
    const missing = ids.filter((id) => !posts.find(id));
    // A post with an inaccessible field is omitted.
    const old = fields.includes('non_public_metrics') ? found.filter(isOld) : [];
    const seen = found.filter((one) => !old.includes(one));
    const errors = [...missing.map(notFound), ...old.map(({ id }) => notAuthorized(id))];
    const videos = (query.get('expansions') ?? '').split(',').includes('attachments.media_keys')
      ? seen.flatMap((one) => one.media)
      : [];
    returnedMediaCount += videos.length;
    const mediaFields = (query.get('media.fields') ?? '').split(',');
    return okResponse({
      ...(seen.length > 0 && { data: seen.map((one) => shown(one, fields)) }),
      ...(videos.length > 0 && {
        includes: { media: videos.map((video) => shownMedia(video, mediaFields)) },
      }),
      ...(errors.length > 0 && { errors }),
    });
  }

  const isOld = ({ createdAt }: XPost) => now().getTime() - createdAt.getTime() > PRIVATE_DAYS * 86_400_000;

  function timeline(accountId: string, query: URLSearchParams): WireResponse {
    const size = Number(query.get('max_results') ?? 10);
    if (size < 5 || size > 100) return invalid('max_results', 'max_results is from 5 to 100.');
    const since = Date.parse(query.get('start_time') ?? '');
    const fields = fieldsIn(query);
    if ('status' in fields) return fields;
    const all = posts.of(accountId).filter(({ createdAt }) => !(createdAt.getTime() < since));
    const at = Number(query.get('pagination_token') ?? 0);
    const page = all.slice(at, at + size);
    return okResponse({
      ...(page.length > 0 && { data: page.map((one) => shown(one, fields)) }),
      meta: {
        result_count: page.length,
        ...(at + size < all.length && { next_token: String(at + size) }),
      },
    });
  }

  /** The requested fields of a post, by the older names. */
  function fieldsIn(query: URLSearchParams): readonly string[] | WireResponse {
    const older = query.get('tweet.fields');
    const newer = query.get('post.fields');
    const unknown =
      names === 'posts_only' ? older && 'tweet.fields' : names === 'tweets' && newer && 'post.fields';
    if (unknown)
      return invalid(unknown, `The query parameter [${unknown}] is not one of those of this request.`);
    const requested = `${older ?? newer ?? ''},${query.get('expansions') ?? ''}`;
    return requested
      .replace('referenced_posts', 'referenced_tweets')
      .replace('note_post', 'note_tweet')
      .split(',');
  }

  function shown(one: XPost, fields: readonly string[]) {
    const { note_tweet, referenced_tweets, conversation_id, ...post } = shownByOlderNames(one, fields);
    if (names === 'neither') return post;
    const [note, references] =
      names === 'tweets' ? ['note_tweet', 'referenced_tweets'] : ['note_post', 'referenced_posts'];
    return {
      ...post,
      ...(conversation_id !== undefined && { conversation_id }),
      ...(note_tweet !== undefined && { [note]: note_tweet }),
      ...(referenced_tweets !== undefined && { [references]: referenced_tweets }),
    };
  }

  const conversationOf = (one: XPost): string => {
    const parent = one.inReplyToId === null ? null : posts.find(one.inReplyToId);
    return parent ? conversationOf(parent) : (one.inReplyToId ?? one.id);
  };

  function shownByOlderNames(one: XPost, fields: readonly string[]) {
    const urls = [...one.text.matchAll(LINK)].map(([link], at) => ({
      url: shortened(one.id, at),
      expanded_url: /^https?:/i.test(link) ? link : `http://${link}`,
      display_url: link.replace(/^https?:\/\//, ''),
    }));
    const quoted = one.quotedId === null ? [] : [quotedLink(one.id, one.quotedId)];
    const images = one.media.map(({ key }) => ({
      url: `https://t.co/m${one.id.slice(-8)}`,
      media_key: key,
    }));
    return {
      id: one.id,
      text: shownText(one),
      edit_history_tweet_ids: [one.id],
      ...(fields.includes('note_tweet') &&
        isLong(one) && { note_tweet: { text: linked(one), entities: { urls } } }),
      ...(fields.includes('conversation_id') && { conversation_id: conversationOf(one) }),
      ...(fields.includes('created_at') && { created_at: one.createdAt.toISOString() }),
      ...(fields.includes('referenced_tweets') &&
        (one.inReplyToId !== null || one.quotedId !== null) && {
          referenced_tweets: [
            ...(one.inReplyToId === null ? [] : [{ type: 'replied_to', id: one.inReplyToId }]),
            ...(one.quotedId === null ? [] : [{ type: 'quoted', id: one.quotedId }]),
          ],
        }),
      ...(fields.includes('attachments') &&
        one.media.length > 0 && { attachments: { media_keys: one.media.map(({ key }) => key) } }),
      ...(fields.includes('entities') &&
        urls.length + quoted.length + images.length > 0 && {
          entities: { urls: [...urls, ...quoted, ...images] },
        }),
      ...(fields.includes('reply_settings') && { reply_settings: one.replySettings || 'everyone' }),
      ...(fields.includes('community_id') && one.communityId !== null && { community_id: one.communityId }),
      ...(fields.includes('paid_partnership') && { paid_partnership: one.paidPartnership }),
      ...(fields.includes('public_metrics') && {
        public_metrics: {
          retweet_count: 4,
          reply_count: 2,
          like_count: 3,
          quote_count: 1,
          bookmark_count: 5,
          impression_count: 120,
        },
      }),
      ...(fields.includes('non_public_metrics') && {
        non_public_metrics: { impression_count: 120, url_link_clicks: 7, user_profile_clicks: 1 },
      }),
    };
  }

  function me(query: URLSearchParams): WireResponse {
    const fields = (query.get('user.fields') ?? '').split(',');
    const { id, username, name, followers } = account;
    return okResponse({
      data: {
        id,
        name,
        username,
        ...(fields.includes('profile_image_url') && {
          profile_image_url: 'https://pbs.twimg.com/profile_images/1/alice_normal.jpg',
        }),
        ...(fields.includes('subscription_type') && { subscription_type: subscription }),
        ...(fields.includes('public_metrics') && {
          public_metrics: {
            followers_count: followers,
            following_count: 7,
            tweet_count: posts.createdCount(),
            listed_count: 0,
          },
        }),
      },
    });
  }

  function respondAs(request: WireRequest, bearer: XBearer | null): WireResponse {
    const open = oauth.serve(request);
    if (open) return open;
    if (!bearer) return unauthorized;
    if (spent) return spent;
    const { method, path, query, body } = request;
    const may = (scopes: readonly string[], then: () => WireResponse) =>
      scopes.every((scope) => bearer.scopes.includes(scope)) ? then() : forbidden;
    const [, one = ''] = /^\/2\/tweets\/(\w+)$/.exec(path) ?? [];
    const [, whose = ''] = /^\/2\/users\/(\d+)\/tweets$/.exec(path) ?? [];
    if (path.startsWith('/2/media')) {
      return may(['media.write'], () => media.serve(request, bearer.accountId) ?? notFoundPath);
    }
    if (`${method} ${path}` === 'GET /2/users/me') return may(['users.read'], () => me(query));
    if (`${method} ${path}` === 'POST /2/tweets') {
      return may(['tweet.write', 'tweet.read', 'users.read'], () => post(body, bearer));
    }
    if (`${method} ${path}` === 'GET /2/tweets') return may(['tweet.read', 'users.read'], () => many(query));
    if (method === 'GET' && whose !== '')
      return may(['tweet.read', 'users.read'], () => timeline(whose, query));
    if (method === 'DELETE' && one !== '') {
      return may(['tweet.write', 'tweet.read', 'users.read'], () => {
        const found = posts.find(one);
        if (found && found.accountId !== bearer.accountId) {
          return problem(403, 'Forbidden', 'You are not authorized to delete this Tweet.');
        }
        if (keepsPosts) return okResponse({ data: { deleted: false } });
        posts.remove(one);
        return okResponse({ data: { deleted: true } });
      });
    }
    return notFoundPath;
  }

  return {
    account,
    posts,
    media,
    oauth,
    respondAs,
    /** The number of media objects returned next to posts, each of which is charged. */
    returnedMediaCount: () => returnedMediaCount,
    /** The field names of a post from now on: see `XNames`. */
    names: (are: FieldNaming) => void (names = are),
    /** Whether a reply requires a mention from now on, even a reply to oneself. */
    setRepliesRequireMention: (does: boolean) => void (setRepliesRequireMention = does),
    /** Whether a deleted post remains visible from now on. */
    keepsPosts: (does: boolean) => void (keepsPosts = does),
    /** What the developer account has used up from now on: all its credits, its spending cap, or neither. */
    spends: (what: keyof typeof spentResponses | null) => void (spent = what && spentResponses[what]),
  };
}

const notSummoned = problem(
  403,
  'Forbidden',
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.',
);
const CREDITS = 'https://api.twitter.com/2/problems/credits';
const spentResponses = {
  credits: problem(
    402,
    'CreditsDepleted',
    'Your enrolled account [1] does not have any credits to fulfill this request.',
    CREDITS,
  ),
  cap: problem(
    403,
    'SpendCapReached',
    'Your enrolled account has reached its billing cycle spend cap.',
    CREDITS,
  ),
};
/** Only videos are counted. */
const shownMedia = ({ key, category }: XMedia, fields: readonly string[]) => ({
  media_key: key,
  type: category === 'tweet_video' ? 'video' : 'photo',
  ...(category === 'tweet_video' &&
    fields.includes('public_metrics') && { public_metrics: { view_count: 64 } }),
});

const notFoundPath = problem(404, 'Not Found', 'Not Found');
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
function shownText(post: XPost): string {
  const stated = isLong(post) ? `${linked(post).slice(0, 270)}…` : linked(post);
  if (post.quotedId !== null) return `${stated} ${quotedLink(post.id, post.quotedId).url}`.trim();
  return post.media.length > 0 ? `${stated} https://t.co/m${post.id.slice(-8)}`.trim() : stated;
}

const notFound = (id: string) => ({
  value: id,
  resource_id: id,
  parameter: 'ids',
  resource_type: 'tweet',
  title: 'Not Found Error',
  detail: `Could not find tweet with ids: [${id}].`,
  type: 'https://api.twitter.com/2/problems/resource-not-found',
});

const notAuthorized = (id: string) => ({
  resource_id: id,
  field: 'non_public_metrics',
  resource_type: 'tweet',
  title: 'Field Authorization Error',
  detail: `Sorry, you are not authorized to access 'non_public_metrics' on the Tweet with ids : [${id}].`,
  type: 'https://api.twitter.com/2/problems/not-authorized-for-field',
});

/** X's documented count: a link 23, most European characters one, all others two, and every emoji two. */
function weightOf(text: string): number {
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

export type XNetwork = ReturnType<typeof xNetwork>;
