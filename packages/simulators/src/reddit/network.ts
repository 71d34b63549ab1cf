import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import { requireScopes, type Route, type RoutedRequest, type Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { messagePage } from '../wire/consent-page.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { postStore } from './post-store.js';
import { badToken, httpError, insufficientScope, notFound, explainedError, formError } from './errors.js';
import { mediaRoutes } from './media-routes.js';
import { listing, presentComment, presentPost, withEscapes } from './present.js';
import { submitGallery, submitPost } from './submit-routes.js';
import { presentFlair, presentSubreddit, subredditOf, type RedditSubreddit } from './subreddit.js';

interface RedditOptions extends PlatformOptions {
  /** Per client in ten minutes. */
  readonly queriesPerWindow?: number;
  /** Clients without a User-Agent in Reddit's format are rate limited. */
  readonly requiresUserAgent?: boolean;
}

export const REDDIT_SCOPES = [
  ...['identity', 'submit', 'edit', 'read', 'history', 'flair', 'mysubreddits', 'save', 'vote', 'subscribe'],
] as const;

const ALICE = { id: '14g6bq9', name: 'alice_throws', title: 'Alice', followers: 12 };
const WINDOW_MS = 600_000;
const POST_TEXT_MAX = 40_000;
const COMMENT_MAX = 10_000;
const USER_AGENT = /^[\w.-]+:[\w.-]+:v?\d[\w.+-]* \(by \/?u\/[\w-]{3,20}\)/;

const redditSubreddits: readonly RedditSubreddit[] = [
  subredditOf('Pottery', {
    subscribers: [ALICE.name],
    flairs: [
      { id: '0f7a5a3e-3a0c-11ec-9b5e-d2a4c5a1f001', text: 'Discussion', editable: false },
      { id: '0f7a5a3e-3a0c-11ec-9b5e-d2a4c5a1f002', text: 'Finished & fired', editable: true },
    ],
  }),
  subredditOf('kilns', { moderators: [ALICE.name], subscribers: [ALICE.name] }),
  subredditOf('glazes', {
    flairs: [{ id: '0f7a5a3e-3a0c-11ec-9b5e-d2a4c5a1f003', text: 'Recipe', editable: false }],
    requirements: { is_flair_required: true, title_required_strings: ['[Cone 6]', '[Cone 10]'] },
  }),
  subredditOf('askpotters', { submissionType: 'self', allowImages: false, allowVideos: false }),
  subredditOf('potterylinks', { submissionType: 'link', requirements: { link_repost_age: 30 } }),
  subredditOf('masterpotters', { type: 'restricted' }),
  subredditOf('quietpots', { type: 'restricted', restrictsPosting: false, subscribers: [ALICE.name] }),
  subredditOf('secretkiln', { type: 'private' }),
  subredditOf('nopots', { banned: [ALICE.name] }),
];

function openState({ now = () => new Date(), ...rules }: RedditOptions) {
  const profile = subredditOf(`u_${ALICE.name}`, { type: 'user', moderators: [ALICE.name] });
  const places = [...redditSubreddits, profile];
  const find = (name: string) => places.find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? null;
  const posts = postStore(now);
  const controls = {
    mediaPolls: 0 as number | null,
    waitSeconds: 0,
    origin: null as string | null,
    window: { startedAtMs: now().getTime(), used: 0 },
  };
  const media = mediaRoutes(now, () => controls.origin);
  return Object.assign(controls, {
    account: ALICE,
    now,
    places,
    find,
    posts,
    media,
    queriesPerWindow: rules.queriesPerWindow ?? 1_000,
    requiresUserAgent: rules.requiresUserAgent ?? true,
  });
}
export type RedditState = ReturnType<typeof openState>;
export type RedditRequest = RoutedRequest<Bearer>;
type RedditRoute = Route<RedditState, Bearer>;

const may = requireScopes(() => insufficientScope);
/** A new account, or one with little karma, has a limited posting rate. */
const mayPost =
  (route: RedditRoute): RedditRoute =>
  (state, request) => {
    const { waitSeconds } = state;
    if (waitSeconds === 0) return may(['submit'], route)(state, request);
    const words = `Looks like you've been doing that a lot. Take a break for ${Math.floor(waitSeconds / 60)} minutes before trying again.`;
    return formError('RATELIMIT', words, 'ratelimit', { ratelimit: waitSeconds + 0.53 });
  };
const listOwn =
  (who: 'subscribers' | 'moderators'): RedditRoute =>
  ({ places }, { query, owner: { account: viewer } }) => {
    const own = places.filter((place) => place.type !== 'user' && place[who].includes(viewer));
    return listing(query, own, (place) => presentSubreddit(place, viewer));
  };

const routes: Routes<RedditState, Bearer> = {
  'GET /api/v1/me': may(['identity'], readMe),
  'GET /subreddits/mine/subscriber': may(['mysubreddits'], listOwn('subscribers')),
  'GET /subreddits/mine/moderator': may(['mysubreddits'], listOwn('moderators')),
  'GET /api/info': may(['read'], readInfo),
  'POST /api/media/asset': may(['submit'], ({ media }, { body, owner }) => media.lease(body, owner.account)),
  'POST /api/submit': mayPost(submitPost),
  'POST /api/submit_gallery_post': mayPost(submitGallery),
  'POST /api/comment': mayPost(createComment),
  'POST /api/editusertext': may(['edit'], editText),
  'POST /api/del': may(['edit'], deleteThing),
  'GET /r/:place/about': may(['read'], readAbout),
  'GET /r/:place/api/link_flair_v2': may(['flair'], listFlairs),
  'GET /api/v1/:place/post_requirements': may(['submit'], readRequirements),
  'GET /user/:name/submitted': may(['history'], ({ posts }, { params, query }) =>
    listing(query, posts.postsOf(params['name'] ?? ''), (post) => presentPost(post, posts)),
  ),
  'GET /user/:name/comments': may(['history'], ({ posts }, { params, query }) =>
    listing(query, posts.commentsOf(params['name'] ?? ''), (one) => presentComment(one, posts)),
  ),
};

/** Reddit according to its documentation and to recorded responses of others, without a socket. */
export function redditNetwork(options: RedditOptions = {}) {
  const state = openState(options);
  const { account, now, posts, media } = state;
  const oauth = oauthServer({
    apps: options.apps ?? [],
    now,
    account: account.name,
    knows: (scope) => (REDDIT_SCOPES as readonly string[]).includes(scope),
    paths: {
      authorize: '/api/v1/authorize',
      token: '/api/v1/access_token',
      revoke: '/api/v1/revoke_token',
    },
    clientAuth: 'header',
    accessSeconds: 86_400,
    refresh: { seconds: 10 * 365 * 86_400, rotates: true, fixed: false },
    // A refresh token requires `duration=permanent`, the only value simulated here.
    checkAuthorization: ({ duration }) =>
      duration === 'permanent' ? null : messagePage(400, 'you sent an invalid request: invalid duration'),
    // As plain HTTP (praw-dev/praw#677), contrary to RFC 6749.
    refuse(error) {
      if (error === 'invalid_client') return httpError(401, 'Unauthorized');
      return error === 'invalid_refresh_token' ? httpError(400, 'Bad Request') : undefined;
    },
    revocation: { status: 204 },
  });

  const simulator = defineSimulator<RedditState, Bearer>({
    state,
    oauth,
    routes,
    ownerOf: oauth.bearerOf,
    rewrite: (request) => ({ ...request, path: request.path.replace(/\/$/, '').replace(/\.json$/, '') }),
    unauthorized: badToken,
    notFound,
  });

  return {
    account,
    posts,
    media,
    oauth,
    respondAs: (request: WireRequest, owner: Bearer | null) =>
      respondLimited(state, request, () => simulator.respondAs(request, owner)),
    respond: (request: WireRequest) => respondLimited(state, request, () => simulator.respond(request)),
    /** The origin of its upload storage from now on. */
    setOrigin: (url: string) => void (state.origin = url),
    /**
     * The number of reads of the account's list after which images and videos appear; null: they never do.
     */
    mediaPolls: (polls: number | null) => void (state.mediaPolls = polls),
    /** The time that the account must wait before it posts again; 0: none. */
    mustWait: (seconds: number) => void (state.waitSeconds = seconds),
  };
}

export const startReddit = starter(redditNetwork);

/** The upload storage first, then the limits of the API and its escapes. */
function respondLimited(state: RedditState, request: WireRequest, respond: () => WireResponse): WireResponse {
  const unsigned = state.media.serve(request);
  if (unsigned) return unsigned;
  const isKnown = USER_AGENT.test(textOf(request.headers['user-agent']));
  if (state.requiresUserAgent && !isKnown && request.path !== '/api/v1/authorize') {
    return httpError(429, 'Too Many Requests');
  }
  if (/^\/api\/v1\/(authorize|access_token|revoke_token)$/.test(request.path)) return respond();
  const { headers, isOver } = countQuery(state);
  if (isOver) return httpError(429, 'Too Many Requests', {}, headers);
  const { json, ...rest } = respond();
  return {
    ...rest,
    headers: { ...rest.headers, ...headers },
    json: request.query.get('raw_json') === '1' ? json : withEscapes(json),
  };
}

function countQuery(state: RedditState) {
  const { now, queriesPerWindow } = state;
  const at = now().getTime();
  if (at - state.window.startedAtMs >= WINDOW_MS) state.window = { startedAtMs: at, used: 0 };
  const isOver = state.window.used >= queriesPerWindow;
  if (!isOver) state.window.used++;
  if (queriesPerWindow === Infinity) return { headers: {}, isOver };
  const headers = {
    'x-ratelimit-used': String(state.window.used),
    'x-ratelimit-remaining': (queriesPerWindow - state.window.used).toFixed(1),
    'x-ratelimit-reset': String(Math.ceil((state.window.startedAtMs + WINDOW_MS - at) / 1_000)),
  };
  return { headers, isOver };
}

function createComment({ posts }: RedditState, { body, owner }: RedditRequest): WireResponse {
  const author = owner.account;
  const fields = fieldsOf(body);
  const [parent, text] = [textOf(fields['thing_id']), textOf(fields['text'])];
  const postId = posts.findPost(parent)?.id ?? posts.findComment(parent)?.postId;
  if (postId === undefined || !posts.exists(parent)) {
    return formError('NO_THING_ID', 'id not specified', 'parent');
  }
  if (text.trim() === '') return formError('NO_TEXT', 'we need something here', 'text');
  if ([...text].length > COMMENT_MAX) {
    return formError('TOO_LONG', `this is too long (max: ${COMMENT_MAX})`, 'text');
  }
  const created = posts.comment({ author, postId, parent, text: text.trimEnd() });
  return okResponse({ json: { errors: [], data: { things: [presentComment(created, posts)] } } });
}

/** Only the text of a text post, and of a comment. */
function editText({ posts }: RedditState, { body, owner }: RedditRequest): WireResponse {
  const fields = fieldsOf(body);
  const [id, text] = [textOf(fields['thing_id']), textOf(fields['text'])];
  const [post, comment] = [posts.findPost(id), posts.findComment(id)];
  const author = post?.author ?? comment?.author;
  if (author !== owner.account || !posts.exists(id))
    return formError('NOT_AUTHOR', "you can't do that", 'thing_id');
  if (post && post.kind !== 'self') return formError('NOT_SELF', 'that is not a text post', 'thing_id');
  if (comment && text.trim() === '') return formError('NO_TEXT', 'we need something here', 'text');
  const max = post ? POST_TEXT_MAX : COMMENT_MAX;
  if ([...text].length > max) return formError('TOO_LONG', `this is too long (max: ${max})`, 'text');
  posts.edit(id, text.trimEnd());
  const [edited, reply] = [posts.findPost(id), posts.findComment(id)];
  const things = edited ? [presentPost(edited, posts)] : reply ? [presentComment(reply, posts)] : [];
  return okResponse({ json: { errors: [], data: { things } } });
}

function readInfo({ posts }: RedditState, { query }: RedditRequest): WireResponse {
  const ids = (query.get('id') ?? '').split(',');
  const presentThing = (id: string) => {
    const [post, comment] = [posts.findPost(id), posts.findComment(id)];
    if (post) return presentPost(post, posts);
    return comment ? presentComment(comment, posts) : [];
  };
  const found = ids.length > 100 ? [] : ids.flatMap(presentThing);
  return listing(new URLSearchParams('limit=100'), found, (one) => one);
}

function readAbout({ find }: RedditState, { params, owner }: RedditRequest): WireResponse {
  const [place, viewer] = [find(params['place'] ?? ''), owner.account];
  if (!place) return listing(new URLSearchParams(), [], (none: never) => none);
  const isIn = place.contributors.includes(viewer) || place.moderators.includes(viewer);
  if (place.type === 'private' && !isIn) return httpError(403, 'Forbidden', { reason: 'private' });
  return okResponse(presentSubreddit(place, viewer));
}

function readRequirements({ find }: RedditState, { params, owner }: RedditRequest): WireResponse {
  const [place, viewer] = [find(params['place'] ?? ''), owner.account];
  if (!place) {
    return explainedError(404, 'Not Found', 'SUBREDDIT_NOEXIST', "that subreddit doesn't exist", [
      'subreddit',
    ]);
  }
  const isIn = place.contributors.includes(viewer) || place.moderators.includes(viewer);
  return place.type === 'private' && !isIn
    ? explainedError(403, 'Forbidden', 'SUBREDDIT_NO_ACCESS', "you aren't allowed access to this subreddit")
    : okResponse(place.requirements);
}

function listFlairs({ find }: RedditState, { params }: RedditRequest): WireResponse {
  const flairs = find(params['place'] ?? '')?.flairs ?? [];
  return flairs.length > 0 ? okResponse(flairs.map(presentFlair)) : httpError(403, 'Forbidden');
}

function deleteThing(
  { posts }: RedditState,
  { body, owner: { account: author } }: RedditRequest,
): WireResponse {
  const id = textOf(fieldsOf(body)['id']);
  const poster = posts.findPost(id)?.author ?? posts.findComment(id)?.author;
  if (poster === author) posts.remove(id);
  return okResponse({});
}

function readMe({ account }: RedditState): WireResponse {
  return okResponse({
    id: account.id,
    name: account.name,
    icon_img: 'https://styles.redditmedia.com/a.png?width=256&s=1',
    subreddit: {
      display_name: `u_${account.name}`,
      title: account.title,
      url: `/user/${account.name}/`,
      subscribers: account.followers,
    },
  });
}
