import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import { messagePage } from '../wire/consent-page.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { postStore } from './post-store.js';
import { badToken, httpError, insufficientScope, notFound, explainedError, formError } from './errors.js';
import { mediaRoutes } from './media-routes.js';
import { listingOf, presentComment, presentPost, withEscapes } from './present.js';
import { submitRoutes } from './submit-routes.js';
import { presentFlair, presentSubreddit, subredditOf, type RedditSubreddit } from './subreddit.js';

export interface RedditAccount {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly followers: number;
}

export interface RedditOptions {
  readonly now?: () => Date;
  readonly account?: RedditAccount;
  readonly subreddits?: readonly RedditSubreddit[];
  readonly apps?: readonly OAuthApp[];
  /** Per client in ten minutes. */
  readonly queriesPerWindow?: number;
  /** Clients without a User-Agent in Reddit's format are rate limited. */
  readonly requiresUserAgent?: boolean;
}

export interface RedditBearer {
  readonly name: string;
  readonly scopes: readonly string[];
}

export const REDDIT_SCOPES = [
  ...['identity', 'submit', 'edit', 'read', 'history', 'flair', 'mysubreddits', 'save', 'vote', 'subscribe'],
] as const;

const ALICE: RedditAccount = { id: '14g6bq9', name: 'alice_throws', title: 'Alice', followers: 12 };
const WINDOW_MS = 600_000;
const COMMENT_MAX = 10_000;
const USER_AGENT = /^[\w.-]+:[\w.-]+:v?\d[\w.+-]* \(by \/?u\/[\w-]{3,20}\)/;

export const redditSubreddits: readonly RedditSubreddit[] = [
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

/** Reddit according to its documentation and to recorded responses of others, without a socket. */
export function redditNetwork(options: RedditOptions = {}) {
  const { queriesPerWindow = 1_000, requiresUserAgent = true, account = ALICE } = options;
  const now = options.now ?? (() => new Date());
  const profile = subredditOf(`u_${account.name}`, { type: 'user', moderators: [account.name] });
  const places = [...(options.subreddits ?? redditSubreddits), profile];
  const find = (name: string) => places.find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? null;
  let [mediaPolls, waitSeconds, origin]: [number | null, number, string | null] = [0, 0, null];
  const posts = postStore(now);
  const media = mediaRoutes(now, () => origin);
  const context = submitRoutes({ posts, media, find, mediaPolls: () => mediaPolls });
  const oauth = codeExchange({
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
    pkce: 'optional',
    codeSeconds: 600,
    accessSeconds: 86_400,
    refresh: { seconds: 10 * 365 * 86_400, rotates: true, fixed: false },
  });
  let window = { startedAtMs: now().getTime(), used: 0 };

  /** A refresh token requires `duration=permanent`, the only value simulated here. */
  function open(request: WireRequest): WireResponse | null {
    const isConsent = request.method === 'GET' && request.path === '/api/v1/authorize';
    if (isConsent && request.query.get('duration') !== 'permanent') {
      return messagePage(400, 'you sent an invalid request: invalid duration');
    }
    const stated = oauth.serve(request);
    const { error } = fieldsOf(stated?.json);
    const isRenewal = fieldsOf(request.body)['grant_type'] === 'refresh_token';
    // As plain HTTP (praw-dev/praw#677), contrary to RFC 6749.
    if (error === 'invalid_client') return httpError(401, 'Unauthorized');
    if (error === 'invalid_grant' && isRenewal) return httpError(400, 'Bad Request');
    return stated?.status === 200 && request.path === '/api/v1/revoke_token' ? { status: 204 } : stated;
  }

  function limits(): { readonly headers: Readonly<Record<string, string>>; readonly isOver: boolean } {
    const at = now().getTime();
    if (at - window.startedAtMs >= WINDOW_MS) window = { startedAtMs: at, used: 0 };
    const isOver = window.used >= queriesPerWindow;
    if (!isOver) window.used++;
    if (queriesPerWindow === Infinity) return { headers: {}, isOver };
    const headers = {
      'x-ratelimit-used': String(window.used),
      'x-ratelimit-remaining': (queriesPerWindow - window.used).toFixed(1),
      'x-ratelimit-reset': String(Math.ceil((window.startedAtMs + WINDOW_MS - at) / 1_000)),
    };
    return { headers, isOver };
  }

  const me = () =>
    okResponse({
      id: account.id,
      name: account.name,
      icon_img: 'https://styles.redditmedia.com/a.png?width=256&s=1',
      link_karma: 410,
      comment_karma: 92,
      total_karma: 502,
      has_verified_email: true,
      subreddit: {
        display_name: `u_${account.name}`,
        display_name_prefixed: `u/${account.name}`,
        title: account.title,
        url: `/user/${account.name}/`,
        subscribers: account.followers,
      },
    });

  function comment(body: unknown, author: string): WireResponse {
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

  function info(query: URLSearchParams): WireResponse {
    const ids = (query.get('id') ?? '').split(',');
    const found = ids.length > 100 ? [] : ids.flatMap((id) => posts.findPost(id) ?? []);
    return okResponse(
      listingOf(
        found.map((post) => presentPost(post, posts)),
        new URLSearchParams('limit=100'),
      ),
    );
  }

  function about(place: RedditSubreddit | null, viewer: string): WireResponse {
    if (!place) return okResponse(listingOf([], new URLSearchParams()));
    const isIn = place.contributors.includes(viewer) || place.moderators.includes(viewer);
    if (place.type === 'private' && !isIn) return httpError(403, 'Forbidden', { reason: 'private' });
    return okResponse(presentSubreddit(place, viewer));
  }

  function requirements(place: RedditSubreddit | null, viewer: string): WireResponse {
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

  const flairs = (place: RedditSubreddit | null): WireResponse =>
    place && place.flairs.length > 0
      ? okResponse(place.flairs.map(presentFlair))
      : httpError(403, 'Forbidden');

  function mine(viewer: string, who: 'subscribers' | 'moderators', query: URLSearchParams): WireResponse {
    const own = places.filter((place) => place.type !== 'user' && place[who].includes(viewer));
    return okResponse(
      listingOf(
        own.map((place) => presentSubreddit(place, viewer)),
        query,
      ),
    );
  }

  function remove(body: unknown, author: string): WireResponse {
    const id = textOf(fieldsOf(body)['id']);
    const owner = posts.findPost(id)?.author ?? posts.findComment(id)?.author;
    if (owner === author) posts.remove(id);
    return okResponse({});
  }

  function route(request: WireRequest, { name, scopes }: RedditBearer): WireResponse {
    const { method, query, body } = request;
    const path = request.path.replace(/\/$/, '').replace(/\.json$/, '');
    const may = (scope: string, then: () => WireResponse) =>
      scopes.includes(scope) ? then() : insufficientScope;
    /** A new account, or one with little karma, has a limited posting rate. */
    const mayPost = (then: () => WireResponse) =>
      waitSeconds === 0
        ? may('submit', then)
        : formError(
            'RATELIMIT',
            `Looks like you've been doing that a lot. Take a break for ${Math.floor(waitSeconds / 60)} minutes before trying again.`,
            'ratelimit',
            { ratelimit: waitSeconds + 0.53 },
          );
    const [, whose = '', what = ''] = /^\/user\/([\w-]+)\/(submitted|comments)$/.exec(path) ?? [];
    const [, place = '', thing = ''] =
      /^\/r\/([\w-]+)\/(about|api\/link_flair_v2)$/.exec(path) ??
      /^\/api\/v1\/([\w-]+)\/(post_requirements)$/.exec(path) ??
      [];
    switch (`${method} ${path}`) {
      case 'GET /api/v1/me':
        return may('identity', me);
      case 'GET /subreddits/mine/subscriber':
        return may('mysubreddits', () => mine(name, 'subscribers', query));
      case 'GET /subreddits/mine/moderator':
        return may('mysubreddits', () => mine(name, 'moderators', query));
      case 'GET /api/info':
        return may('read', () => info(query));
      case 'POST /api/media/asset':
        return may('submit', () => media.lease(body, name));
      case 'POST /api/submit':
        return mayPost(() => context.submit(body, name));
      case 'POST /api/submit_gallery_post':
        return mayPost(() => context.gallery(body, name));
      case 'POST /api/comment':
        return mayPost(() => comment(body, name));
      case 'POST /api/del':
        return may('edit', () => remove(body, name));
      default:
        break;
    }
    if (method !== 'GET') return notFound;
    if (thing === 'about') return may('read', () => about(find(place), name));
    if (thing === 'post_requirements') return may('submit', () => requirements(find(place), name));
    if (thing !== '') return may('flair', () => flairs(find(place)));
    if (what === '') return notFound;
    return may('history', () =>
      okResponse(
        what === 'submitted'
          ? listingOf(
              posts.postsOf(whose).map((post) => presentPost(post, posts)),
              query,
            )
          : listingOf(
              posts.commentsOf(whose).map((one) => presentComment(one, posts)),
              query,
            ),
      ),
    );
  }

  /** The response for a caller with these scopes; null: anonymous. */
  function respondAs(request: WireRequest, bearer: RedditBearer | null): WireResponse {
    const unsigned = media.serve(request);
    if (unsigned) return unsigned;
    const isKnown = USER_AGENT.test(textOf(request.headers['user-agent']));
    if (requiresUserAgent && !isKnown && request.path !== '/api/v1/authorize') {
      return httpError(429, 'Too Many Requests');
    }
    const stated = open(request);
    if (stated) return stated;
    if (!bearer) return badToken;
    const { headers, isOver } = limits();
    if (isOver) return httpError(429, 'Too Many Requests', {}, headers);
    const { json, ...rest } = route(request, bearer);
    return {
      ...rest,
      headers: { ...rest.headers, ...headers },
      json: request.query.get('raw_json') === '1' ? json : withEscapes(json),
    };
  }

  return {
    account,
    posts,
    media,
    oauth,
    respondAs,
    /** The response for the owner of the request's token. */
    respond(request: WireRequest): WireResponse {
      const token = /^bearer (.+)$/i.exec(textOf(request.headers['authorization']))?.[1] ?? '';
      const grant = oauth.grantOf(token);
      return respondAs(request, grant && { name: grant.account, scopes: grant.scopes });
    },
    /** The origin of its upload storage from now on. */
    setOrigin: (url: string) => void (origin = url),
    /**
     * The number of reads of the account's list after which images and videos appear; null: they never do.
     */
    mediaPolls: (polls: number | null) => void (mediaPolls = polls),
    /** The time that the account must wait before it posts again; 0: none. */
    mustWait: (seconds: number) => void (waitSeconds = seconds),
  };
}

export type RedditNetwork = ReturnType<typeof redditNetwork>;
