import express, { Router, type Request } from 'express';
import { type World, avatarUrl, type Account } from '../world.js';
import { authorized, type BearerLookup, type ScopedRoute } from '../oauth/authorized.js';
import { empty, json, notFound, refusal, type HttpResponse } from '../wire/response.js';
import { endpoint, routesOf, jsonBody } from '../wire/endpoint.js';
import { bodyFields, pathText, queryText } from '../wire/parameters.js';
import { followers, postMetrics } from './insights.js';
import { VIDEO_BYTES_MAX } from './media.js';
import { presentPost, type Post } from './posts.js';
import { readNewPost } from './read-new-post.js';
import type { OwnedRow } from './recorded-rows.js';
import type { SocialState } from './state.js';
import { topicsOf } from './accounts.js';
import { presentComment, readNewComment, type Comment } from './comments.js';
import { cutPage, readPaging } from '../wire/paging.js';

/**
 * Files are raw bodies. The parser accepts slightly more than the limit, so that the sender receives the
 * validation error.
 */
const fileBody = express.raw({ type: () => true, limit: VIDEO_BYTES_MAX + 1_000_000 });

interface SocialContext extends SocialState {
  readonly world: World;
  readonly accounts: readonly Account[];
}
type SocialRoute = ScopedRoute<SocialContext>;
type SocialHandle = SocialRoute[1];
type RequestBody = Readonly<Record<string, unknown>>;

export function socialApi(
  world: World,
  bearers: BearerLookup,
  accounts: readonly Account[],
  state: SocialState,
): Router {
  const context = { ...state, world, accounts };
  const bind = (route: SocialRoute) => endpoint(world, 'social', authorized(bearers, context, route));
  return Router()
    .post('/media', fileBody, bind(['posts:write', createMedia]))
    .use(jsonBody)
    .use(routesOf({ ...routes, ...commentRoutes }, bind))
    .use(endpoint(world, 'social', notFound));
}

const createMedia: SocialHandle = ({ media }, { account, request }) => {
  const bytes: unknown = request.body;
  const created = media.create(account, Buffer.isBuffer(bytes) ? bytes : new Uint8Array());
  return 'headers' in created ? created : json(201, created);
};

const accountOf = ({ accounts }: SocialContext, id: string) => accounts.find((account) => account.id === id);

function presentIn({ world }: SocialContext, post: Post) {
  const ageMs = world.clock.now().getTime() - Date.parse(post.created_at);
  const tellsUrl = ageMs >= world.settings.current().post_url_after_seconds * 1000;
  return presentPost(world.origin(), post, tellsUrl);
}

function profileOf(context: SocialContext, id: string) {
  const account = accountOf(context, id);
  if (!account) return null;
  const { username, name, about, createdAt } = account;
  const origin = context.world.origin();
  return {
    id,
    username,
    name,
    bio: about,
    avatar_url: avatarUrl(origin, 'social', account),
    url: `${origin}/social/feed/${id}`,
    created_at: createdAt,
  };
}

const readMe: SocialHandle = (context, { account: id, bearer }) => {
  const profile = profileOf(context, id);
  if (!profile) return notFound();
  const pages = (bearer.pages?.() ?? []).map(({ account, token }) => ({
    ...profileOf(context, account),
    access_token: token,
  }));
  return json(200, { ...profile, pages });
};

const createPost: SocialHandle = (context, { account, request }) => {
  const { posts, media, quota } = context;
  const requested = readNewPost(account, bodyFields(request), posts, media);
  if ('status' in requested) return requested;
  const { used, ...rest } = quota.read(account);
  if (used >= rest.limit) {
    const message = `The account has reached its daily limit of ${rest.limit} posts.`;
    return refusal(422, 'daily_limit_reached', message, rest);
  }
  quota.use(account);
  return json(201, presentIn(context, posts.create(requested)));
};

/** A route of a post of the caller; any other post does not exist. */
const ofPost =
  (
    handle: (context: SocialContext, post: Post, body: RequestBody) => ReturnType<SocialHandle>,
  ): SocialHandle =>
  (context, { account, request }) => {
    const post = context.posts.get(pathText(request, 'id'));
    return post?.account_id === account ? handle(context, post, bodyFields(request)) : notFound();
  };

const readInsights: SocialHandle = (context, { account: id }) => {
  const account = accountOf(context, id);
  if (!account) return notFound();
  const { seed, epoch, clock } = context.world;
  const now = clock.now();
  const metrics = { followers: followers(seed, account, epoch, now) };
  return json(200, { account_id: id, as_of: now.toISOString(), metrics });
};

const routes: Readonly<Record<string, SocialRoute>> = {
  'GET /publishing-options': [
    'posts:read',
    ({ quota }, { account }) => json(200, { topics: topicsOf(account), posts_today: quota.read(account) }),
  ],
  'GET /me': ['profile', readMe],
  'POST /posts': ['posts:write', createPost],
  'GET /posts': [
    'posts:read',
    (context, caller) => listOwn(caller, context.posts.list(), (post) => presentIn(context, post)),
  ],
  'GET /posts/:id': ['posts:read', ofPost((context, post) => json(200, presentIn(context, post)))],
  'PUT /posts/:id': [
    'posts:write',
    ofPost((context, post, body) => {
      const { text, link } = body;
      const given = { ...post, text, link, media: post.media.map(({ id, alt_text }) => ({ id, alt_text })) };
      const requested = readNewPost(post.account_id, given, context.posts, context.media);
      return 'status' in requested
        ? requested
        : json(200, presentIn(context, context.posts.edit(post, requested)));
    }),
  ],
  'DELETE /posts/:id': [
    'posts:write',
    ofPost(({ posts, comments }, post) => {
      comments.forget(post.id);
      posts.delete(post);
      return empty(204);
    }),
  ],
  'GET /posts/:id/insights': [
    'insights:read',
    ofPost(({ world: { clock, seed } }, post) => {
      const now = clock.now();
      const metrics = postMetrics(seed, post, now);
      return json(200, { post_id: post.id, as_of: now.toISOString(), metrics });
    }),
  ],
  'GET /insights': ['insights:read', readInsights],
};

const present = ({ world }: SocialContext, comment: Comment) => presentComment(world.origin(), comment);

/** A route of a comment of the caller; any other comment does not exist. */
const ofComment =
  (
    handle: (context: SocialContext, comment: Comment, body: RequestBody) => ReturnType<SocialRoute[1]>,
  ): SocialRoute[1] =>
  (context, { account, request }) => {
    const comment = context.comments.get(pathText(request, 'id'));
    return comment?.account_id === account ? handle(context, comment, bodyFields(request)) : notFound();
  };

const createComment: SocialRoute[1] = (context, { account, request }) => {
  const post = context.posts.get(pathText(request, 'id'));
  const requested = readNewComment(bodyFields(request));
  if (!post) return notFound();
  if ('status' in requested) return requested;
  const comment = context.comments.create({ post_id: post.id, account_id: account, ...requested });
  return json(201, present(context, comment));
};

const commentRoutes: Readonly<Record<string, SocialRoute>> = {
  'POST /posts/:id/comments': ['posts:write', createComment],
  'GET /comments': [
    'posts:read',
    (context, caller) => listOwn(caller, context.comments.list(), (one) => present(context, one)),
  ],
  'GET /comments/:id': ['posts:read', ofComment((context, one) => json(200, present(context, one)))],
  'PUT /comments/:id': [
    'posts:write',
    ofComment((context, one, body) => {
      const requested = readNewComment(body);
      return 'status' in requested
        ? requested
        : json(200, present(context, context.comments.edit(one, requested.text)));
    }),
  ],
  'DELETE /comments/:id': [
    'posts:write',
    ofComment(({ comments }, one) => {
      comments.delete(one);
      return empty(204);
    }),
  ],
};

/** A page of the caller's posts or comments, newest first, all or those with the caller's reference. */
function listOwn<Row extends OwnedRow>(
  { account, request }: { readonly account: string; readonly request: Request },
  rows: readonly Row[],
  present: (row: Row) => unknown,
): HttpResponse {
  const paging = readPaging(request, '-created_at', 20);
  if ('status' in paging) return paging;
  const clientRef = queryText(request, 'client_ref');
  const own = rows.filter(
    (row) => row.account_id === account && (clientRef === undefined || row.client_ref === clientRef),
  );
  const cut = cutPage(own, '-created_at', paging, (row) => ({ value: row.created_at, id: row.id }));
  return json(200, { ...cut, data: cut.data.map(present) });
}
