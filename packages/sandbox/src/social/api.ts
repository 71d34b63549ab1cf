import express, { Router } from 'express';
import type { Account } from '../account.js';
import { avatarUrl } from '../account.js';
import type { AuthorizedHandle } from '../oauth/authorized.js';
import { authorized, type BearerLookup } from '../oauth/authorized.js';
import { empty, json, notFound, refusal } from '../wire/response.js';
import { endpoint } from '../wire/endpoint.js';
import { jsonBody } from '../wire/json-body.js';
import { cutPage, readPaging } from '../wire/paging.js';
import { bodyFields, pathText, queryText } from '../wire/parameters.js';
import type { World } from '../world.js';
import { commentRoutes } from './comment-routes.js';
import { followers, postMetrics } from './insights.js';
import { VIDEO_BYTES_MAX } from './media.js';
import { presentPost } from './post.js';
import { readNewPost } from './read-new-post.js';
import type { SocialState } from './state.js';
import { topicsOf } from './topics.js';

/**
 * Files are raw bodies. The parser accepts slightly more than the limit, so that the sender receives the
 * validation error.
 */
const fileBody = express.raw({ type: () => true, limit: VIDEO_BYTES_MAX + 1_000_000 });

export function socialApi(
  world: World,
  bearers: BearerLookup,
  accounts: readonly Account[],
  { posts, comments, media, quota }: SocialState,
): Router {
  const needs = (scope: string, handle: AuthorizedHandle) =>
    endpoint(world, 'social', authorized(bearers, scope, handle));
  const accountOf = (id: string) => accounts.find((account) => account.id === id);
  const ownPost = (account: string, id: string) => {
    const post = posts.get(id);
    return post?.account_id === account ? post : undefined;
  };
  const present = (post: Parameters<typeof presentPost>[1]) => {
    const ageMs = world.clock.now().getTime() - Date.parse(post.created_at);
    const tellsUrl = ageMs >= world.settings.current().post_url_after_seconds * 1000;
    return presentPost(world.origin(), post, tellsUrl);
  };

  const profileOf = (id: string) => {
    const account = accountOf(id);
    if (!account) return null;
    const { username, name, about, createdAt } = account;
    return {
      id,
      username,
      name,
      bio: about,
      avatar_url: avatarUrl(world.origin(), 'social', account),
      url: `${world.origin()}/social/feed/${id}`,
      created_at: createdAt,
    };
  };
  const me: AuthorizedHandle = (id, _request, bearer) => {
    const profile = profileOf(id);
    if (!profile) return notFound();
    const pages = bearer.pages?.() ?? [];
    return json(200, {
      ...profile,
      pages: pages.map(({ account, token }) => ({ ...profileOf(account), access_token: token })),
    });
  };

  const getPublishingOptions: AuthorizedHandle = (account) =>
    json(200, { topics: topicsOf(account), posts_today: quota.read(account) });

  const createMedia: AuthorizedHandle = (account, request) => {
    const bytes: unknown = request.body;
    const created = media.create(account, Buffer.isBuffer(bytes) ? bytes : new Uint8Array());
    return 'headers' in created ? created : json(201, created);
  };

  const createPost: AuthorizedHandle = (account, request) => {
    const requested = readNewPost(account, bodyFields(request), posts, media);
    if ('status' in requested) return requested;
    const { used, ...rest } = quota.read(account);
    if (used >= rest.limit) {
      const message = `The account has reached its daily limit of ${rest.limit} posts.`;
      return refusal(422, 'daily_limit_reached', message, rest);
    }
    quota.use(account);
    return json(201, present(posts.create(requested)));
  };

  const listPosts: AuthorizedHandle = (account, request) => {
    const paging = readPaging(request, '-created_at', 20);
    if ('status' in paging) return paging;
    const clientRef = queryText(request, 'client_ref');
    const own = posts
      .list()
      .filter(
        (post) => post.account_id === account && (clientRef === undefined || post.client_ref === clientRef),
      );
    const cut = cutPage(own, '-created_at', paging, (post) => ({ value: post.created_at, id: post.id }));
    return json(200, { ...cut, data: cut.data.map(present) });
  };

  const getPost: AuthorizedHandle = (account, request) => {
    const post = ownPost(account, pathText(request, 'id'));
    return post ? json(200, present(post)) : notFound();
  };

  const deletePost: AuthorizedHandle = (account, request) => {
    const post = ownPost(account, pathText(request, 'id'));
    if (!post) return notFound();
    comments.forget(post.id);
    posts.delete(post);
    return empty(204);
  };

  const getPostInsights: AuthorizedHandle = (account, request) => {
    const post = ownPost(account, pathText(request, 'id'));
    if (!post) return notFound();
    const now = world.clock.now();
    return json(200, {
      post_id: post.id,
      as_of: now.toISOString(),
      metrics: postMetrics(world.seed, post, now),
    });
  };

  const getInsights: AuthorizedHandle = (id) => {
    const account = accountOf(id);
    if (!account) return notFound();
    const now = world.clock.now();
    return json(200, {
      account_id: id,
      as_of: now.toISOString(),
      metrics: { followers: followers(world.seed, account, world.epoch, now) },
    });
  };

  return Router()
    .post('/media', fileBody, needs('posts:write', createMedia))
    .use(jsonBody)
    .get('/publishing-options', needs('posts:read', getPublishingOptions))
    .get('/me', needs('profile', me))
    .post('/posts', needs('posts:write', createPost))
    .get('/posts', needs('posts:read', listPosts))
    .get('/posts/:id', needs('posts:read', getPost))
    .delete('/posts/:id', needs('posts:write', deletePost))
    .get('/posts/:id/insights', needs('insights:read', getPostInsights))
    .use(commentRoutes(world, needs, { posts, comments }))
    .get('/insights', needs('insights:read', getInsights))
    .use(endpoint(world, 'social', notFound));
}
