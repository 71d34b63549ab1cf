import { Router } from 'express';
import type { Account } from '../account.js';
import { avatarUrl } from '../account.js';
import type { AuthorizedHandle } from '../oauth/authorized.js';
import { authorized } from '../oauth/authorized.js';
import type { Grants } from '../oauth/grants.js';
import { empty, json, notFound } from '../wire/answer.js';
import { endpoint } from '../wire/endpoint.js';
import { jsonBody } from '../wire/json-body.js';
import { cutPage, readPaging } from '../wire/paging.js';
import { bodyFields, pathText, queryText } from '../wire/parameters.js';
import type { World } from '../world.js';
import { followers, postMetrics } from './insights.js';
import { presentPost } from './post.js';
import type { Posts } from './posts.js';
import { readNewPost } from './read-new-post.js';

export function socialApi(world: World, grants: Grants, accounts: readonly Account[], posts: Posts): Router {
  const needs = (scope: string, handle: AuthorizedHandle) =>
    endpoint(world, 'social', authorized(grants, scope, handle));
  const accountOf = (id: string) => accounts.find((account) => account.id === id);
  const ownPost = (account: string, id: string) => {
    const post = posts.get(id);
    return post?.account_id === account ? post : undefined;
  };
  const present = (post: Parameters<typeof presentPost>[1]) => presentPost(world.origin(), post);

  const me: AuthorizedHandle = (id) => {
    const account = accountOf(id);
    if (!account) return notFound();
    const { username, name, about, createdAt } = account;
    const url = `${world.origin()}/social/feed/${id}`;
    return json(200, {
      id,
      username,
      name,
      bio: about,
      avatar_url: avatarUrl(world.origin(), 'social', account),
      url,
      created_at: createdAt,
    });
  };

  const createPost: AuthorizedHandle = (account, request) => {
    const wanted = readNewPost(account, bodyFields(request), posts);
    return 'status' in wanted ? wanted : json(201, present(posts.create(wanted)));
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
    .use(jsonBody)
    .get('/me', needs('profile', me))
    .post('/posts', needs('posts:write', createPost))
    .get('/posts', needs('posts:read', listPosts))
    .get('/posts/:id', needs('posts:read', getPost))
    .delete('/posts/:id', needs('posts:write', deletePost))
    .get('/posts/:id/insights', needs('insights:read', getPostInsights))
    .get('/insights', needs('insights:read', getInsights))
    .use(endpoint(world, 'social', notFound));
}
