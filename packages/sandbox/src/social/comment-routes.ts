import type { Request, RequestHandler } from 'express';
import { Router } from 'express';
import type { AuthorizedHandle } from '../oauth/authorized.js';
import { empty, json, notFound } from '../wire/response.js';
import { cutPage, readPaging } from '../wire/paging.js';
import { bodyFields, pathText, queryText } from '../wire/parameters.js';
import type { World } from '../world.js';
import { presentComment, readNewComment, type Comment } from './comments.js';
import type { SocialState } from './state.js';

export function commentRoutes(
  world: World,
  needs: (scope: string, handle: AuthorizedHandle) => RequestHandler,
  { posts, comments }: Pick<SocialState, 'posts' | 'comments'>,
): Router {
  const present = (comment: Comment) => presentComment(world.origin(), comment);

  const createComment: AuthorizedHandle = (account, request) => {
    const post = posts.get(pathText(request, 'id'));
    const requested = readNewComment(bodyFields(request));
    if (!post) return notFound();
    if ('status' in requested) return requested;
    const comment = comments.create({ post_id: post.id, account_id: account, ...requested });
    return json(201, present(comment));
  };

  const listComments: AuthorizedHandle = (account, request) => {
    const paging = readPaging(request, '-created_at', 20);
    if ('status' in paging) return paging;
    const clientRef = queryText(request, 'client_ref');
    const own = comments
      .list()
      .filter(
        (one) => one.account_id === account && (clientRef === undefined || one.client_ref === clientRef),
      );
    const cut = cutPage(own, '-created_at', paging, (one) => ({ value: one.created_at, id: one.id }));
    return json(200, { ...cut, data: cut.data.map((one) => present(one)) });
  };

  const ownComment = (account: string, request: Request) => {
    const comment = comments.get(pathText(request, 'id'));
    return comment?.account_id === account ? comment : undefined;
  };

  const getComment: AuthorizedHandle = (account, request) => {
    const comment = ownComment(account, request);
    return comment ? json(200, present(comment)) : notFound();
  };

  const deleteComment: AuthorizedHandle = (account, request) => {
    const comment = ownComment(account, request);
    if (!comment) return notFound();
    comments.delete(comment);
    return empty(204);
  };

  return Router()
    .post('/posts/:id/comments', needs('posts:write', createComment))
    .get('/comments', needs('posts:read', listComments))
    .get('/comments/:id', needs('posts:read', getComment))
    .delete('/comments/:id', needs('posts:write', deleteComment));
}
