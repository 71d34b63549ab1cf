import { okResponse, fieldsOf, pickFields, textOf, textsOf, type WireResponse } from '../wire/exchange.js';
import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import { mapRoutes, requireScopes, type RoutedRequest, type Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions, type SocialAccount } from '../wire/simulator.js';
import { mediaRoutes, xMediaStore } from './media-routes.js';
import { postStore, type XPost } from './post-store.js';
import {
  notAuthorized,
  notFound,
  presentMedia,
  presentPost,
  shownText,
  TEXT_MAX,
  weightOf,
  type FieldNaming,
} from './present-post.js';
import { forbidden, invalid, problem, unauthorized } from './problems.js';

interface XAccount extends SocialAccount {
  readonly subscription?: 'None' | 'Basic' | 'Premium' | 'PremiumPlus';
}

interface XOptions extends PlatformOptions {
  readonly account?: XAccount;
  /** X rejects a post with identical text; false: it accepts it, for tests of indistinguishable posts. */
  readonly refusesDuplicates?: boolean;
  /** The number of posts per account in fifteen minutes. */
  readonly postsPerWindow?: number;
}

export const X_SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

const ALICE: XAccount = { id: '2244994945', username: 'alice', name: 'Alice', followers: 12 };
const LONG_TEXT_MAX = 25_000;
const WINDOW_MS = 15 * 60_000;
const PRIVATE_DAYS = 30;
const REPLY_SETTINGS = ['following', 'mentionedUsers', 'subscribers', 'verified'];

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

const openState = ({ now = () => new Date(), account = ALICE, ...rules }: XOptions) => ({
  account,
  now,
  posts: postStore(now),
  media: xMediaStore(now),
  refusesDuplicates: rules.refusesDuplicates ?? true,
  postsPerWindow: rules.postsPerWindow ?? 100,
  names: 'tweets' as FieldNaming,
  spent: null as keyof typeof spentResponses | null,
  keepsPosts: false,
  repliesRequireMention: false,
  mediaReads: 0,
});
type XState = ReturnType<typeof openState>;
type XRequest = RoutedRequest<Bearer>;

const may = requireScopes(() => forbidden);
const WRITES = ['tweet.write', 'tweet.read', 'users.read'];
const READS = ['tweet.read', 'users.read'];

const routes: Routes<XState, Bearer> = {
  'GET /2/users/me': may(['users.read'], readMe),
  'GET /2/users/:id/tweets': may(READS, listTweets),
  'POST /2/tweets': may(WRITES, createTweet),
  'GET /2/tweets': may(READS, readTweets),
  'DELETE /2/tweets/:id': may(WRITES, deleteTweet),
  ...mapRoutes(mediaRoutes, (route) => may(['media.write'], route)),
};

/** X according to docs.x.com, without a socket. */
export function xNetwork(options: XOptions = {}) {
  const state = openState(options);
  const { account, now } = state;
  const oauth = oauthServer({
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
  return {
    account,
    posts: state.posts,
    media: state.media,
    oauth,
    ...defineSimulator<XState, Bearer>({
      state,
      oauth,
      routes,
      ownerOf: oauth.bearerOf,
      unauthorized,
      notFound: problem(404, 'Not Found', 'Not Found'),
      refuses: () => state.spent && spentResponses[state.spent],
    }),
    /** The number of media objects returned next to posts, each of which is charged. */
    returnedMediaCount: () => state.mediaReads,
    /** The field names of a post from now on. */
    names: (are: FieldNaming) => void (state.names = are),
    /** Whether a reply requires a mention from now on, even a reply to oneself. */
    setRepliesRequireMention: (does: boolean) => void (state.repliesRequireMention = does),
    /** Whether a deleted post remains visible from now on. */
    keepsPosts: (does: boolean) => void (state.keepsPosts = does),
    /** What the developer account has used up from now on: all its credits, its spending cap, or neither. */
    spends: (what: keyof typeof spentResponses | null) => void (state.spent = what),
  };
}

export type XNetwork = ReturnType<typeof xNetwork>;
export const startX = starter(xNetwork);

function createTweet(state: XState, { body, owner }: XRequest): WireResponse {
  const { posts, now, media } = state;
  const own = posts.list(({ accountId }) => accountId === owner.account);
  const recent = own.filter(({ createdAt }) => createdAt.getTime() > now().getTime() - WINDOW_MS);
  if (recent.length >= state.postsPerWindow) return tooMany(recent.at(-1)?.createdAt ?? now());
  const fields = fieldsOf(body);
  const text = textOf(fields['text']);
  const chosen = media.chosen(owner.account, textsOf(fieldsOf(fields['media'])['media_ids']));
  if ('status' in chosen) return chosen;
  if (text.trim() === '' && chosen.length === 0) return invalid('text', 'text is required.');
  const isSubscriber = (state.account.subscription ?? 'None') !== 'None';
  if (weightOf(text) > (isSubscriber ? LONG_TEXT_MAX : TEXT_MAX)) {
    return problem(403, 'Forbidden', 'Your post text is too long.');
  }
  const context = readContext(state, fields, chosen.length > 0);
  if ('status' in context) return context;
  const { inReplyToId } = context;
  const same = own.some((one) => one.text === text && one.inReplyToId === inReplyToId);
  if (state.refusesDuplicates && same && chosen.length === 0) {
    return problem(403, 'Forbidden', 'You are not allowed to create a Tweet with duplicate content.');
  }
  const created = posts.create({
    accountId: owner.account,
    text,
    media: chosen,
    ...context,
    sharedWithFollowers: fields['share_with_followers'] === true,
    madeWithAi: fields['made_with_ai'] === true,
    paidPartnership: fields['paid_partnership'] === true,
  });
  return {
    status: 201,
    json: { data: { id: created.id, text: shownText(created), edit_history_tweet_ids: [created.id] } },
  };
}

/** The posts that a new one refers to, and who may reply. */
function readContext(
  { posts, repliesRequireMention }: XState,
  fields: Readonly<Record<string, unknown>>,
  hasMedia: boolean,
): Pick<XPost, 'inReplyToId' | 'replySettings' | 'quotedId' | 'communityId'> | WireResponse {
  const replySettings = textOf(fields['reply_settings']);
  if (fields['reply_settings'] !== undefined && !REPLY_SETTINGS.includes(replySettings)) {
    return invalid('reply_settings', `[${replySettings}] is not one of ${REPLY_SETTINGS.join(', ')}`);
  }
  const inReplyToId = textOf(fieldsOf(fields['reply'])['in_reply_to_tweet_id']) || null;
  if (inReplyToId !== null && replySettings !== '') {
    return invalid('reply_settings', 'reply_settings is of the post that a conversation begins with.');
  }
  if (inReplyToId !== null && !posts.find(inReplyToId)) {
    const detail = 'You attempted to reply to a Post that is deleted or not visible to you.';
    return problem(403, 'Forbidden', detail);
  }
  const [quotedId = null, communityId = null] = ['quote_tweet_id', 'community_id'].map(
    (name) => textOf(fields[name]) || null,
  );
  const wrong = [quotedId, communityId].find((id) => id !== null && !/^\d{1,19}$/.test(id));
  if (wrong !== undefined) return invalid('id', `[${wrong}] does not match ^[0-9]{1,19}$`);
  if (quotedId !== null && hasMedia) {
    return invalid('quote_tweet_id', 'media and quote_tweet_id are mutually exclusive.');
  }
  if (inReplyToId !== null && repliesRequireMention) return notSummoned;
  return { inReplyToId, replySettings, quotedId, communityId };
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

/** A post with an inaccessible field is omitted. */
function readTweets(state: XState, { query }: XRequest): WireResponse {
  const { posts, now, names } = state;
  const ids = (query.get('ids') ?? '').split(',');
  if (ids.length > 100) return invalid('ids', 'At most 100 ids.');
  const fields = fieldsIn(query, names);
  if ('status' in fields) return fields;
  const isOld = ({ createdAt }: XPost) => now().getTime() - createdAt.getTime() > PRIVATE_DAYS * 86_400_000;
  const found = ids.flatMap((id) => posts.find(id) ?? []);
  const missing = ids.filter((id) => !posts.find(id));
  const old = fields.includes('non_public_metrics') ? found.filter(isOld) : [];
  const seen = found.filter((one) => !old.includes(one));
  const errors = [...missing.map(notFound), ...old.map(({ id }) => notAuthorized(id))];
  const withMedia = (query.get('expansions') ?? '').split(',').includes('attachments.media_keys');
  const media = withMedia ? seen.flatMap((one) => one.media) : [];
  state.mediaReads += media.length;
  const mediaFields = (query.get('media.fields') ?? '').split(',');
  return okResponse({
    ...(seen.length > 0 && { data: seen.map((one) => presentPost(one, fields, names, posts)) }),
    ...(media.length > 0 && { includes: { media: media.map((one) => presentMedia(one, mediaFields)) } }),
    ...(errors.length > 0 && { errors }),
  });
}

function listTweets({ posts, names }: XState, { params, query }: XRequest): WireResponse {
  const size = Number(query.get('max_results') ?? 10);
  if (size < 5 || size > 100) return invalid('max_results', 'max_results is from 5 to 100.');
  const since = Date.parse(query.get('start_time') ?? '');
  const fields = fieldsIn(query, names);
  if ('status' in fields) return fields;
  const isWithoutReplies = (query.get('exclude') ?? '').split(',').includes('replies');
  const all = posts.list(
    ({ accountId, createdAt, inReplyToId }) =>
      accountId === params['id'] &&
      !(createdAt.getTime() < since) &&
      !(isWithoutReplies && inReplyToId !== null),
  );
  const at = Number(query.get('pagination_token') ?? 0);
  const page = all.slice(at, at + size);
  return okResponse({
    ...(page.length > 0 && { data: page.map((one) => presentPost(one, fields, names, posts)) }),
    meta: {
      result_count: page.length,
      ...(at + size < all.length && { next_token: String(at + size) }),
    },
  });
}

function deleteTweet({ posts, keepsPosts }: XState, { params, owner }: XRequest): WireResponse {
  const found = posts.find(params['id'] ?? '');
  if (found && found.accountId !== owner.account) {
    return problem(403, 'Forbidden', 'You are not authorized to delete this Tweet.');
  }
  if (keepsPosts) return okResponse({ data: { deleted: false } });
  posts.remove(params['id'] ?? '');
  return okResponse({ data: { deleted: true } });
}

/** The requested fields of a post, by the older names. */
function fieldsIn(query: URLSearchParams, names: FieldNaming): readonly string[] | WireResponse {
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

function readMe({ account }: XState, { query }: XRequest): WireResponse {
  const { id, username, name, followers, subscription = 'None' } = account;
  const more = {
    profile_image_url: 'https://pbs.twimg.com/profile_images/1/alice_normal.jpg',
    subscription_type: subscription,
    public_metrics: { followers_count: followers },
  };
  const fields = (query.get('user.fields') ?? '').split(',');
  return okResponse({ data: { id, name, username, ...pickFields(more, fields) } });
}
