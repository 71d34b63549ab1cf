import type { Router } from 'express';
import type { World, Account } from '../world.js';
import { type ShownPost, feedPage, postPage } from '../pages/feed-page.js';
import { messagePage } from '../pages/layout.js';
import { file, notFound, page } from '../wire/response.js';
import { endpoint, type EndpointHandler, routesOf } from '../wire/endpoint.js';
import { pathText } from '../wire/parameters.js';
import { followers, postMetrics } from './insights.js';
import type { Post } from './posts.js';
import type { SocialState } from './state.js';

const SHOWN = 100;

export function socialPages(
  world: World,
  accounts: readonly Account[],
  { posts, comments, media }: SocialState,
): Router {
  const authorOf = (item: { readonly account_id: string } | undefined) =>
    accounts.find((account) => account.id === item?.account_id);

  /** A post with all its comments; replies to another post on this page are shown only below that post. */
  const show = (post: Post, now: Date, answers: ReadonlyMap<string, readonly Post[]>): ShownPost[] => {
    const author = authorOf(post);
    if (!author) return [];
    return [
      {
        post,
        author,
        metrics: postMetrics(world.seed, post, now),
        repliesTo: post.reply_to === null ? undefined : authorOf(posts.get(post.reply_to)),
        comments: comments
          .list()
          .filter((comment) => comment.post_id === post.id)
          .flatMap((comment) =>
            authorOf(comment) ? [{ comment, author: authorOf(comment) as Account }] : [],
          ),
        answers: (answers.get(post.id) ?? []).flatMap((response) => show(response, now, answers)),
      },
    ];
  };
  const feed = (of: Account | undefined) => {
    const now = world.clock.now();
    const chosen = posts.list().filter((post) => of === undefined || post.account_id === of.id);
    const ids = new Set(chosen.map(({ id }) => id));
    const begin = chosen.filter(({ reply_to: to }) => to === null || !ids.has(to)).slice(0, SHOWN);
    const answers = repliesByPost(chosen);
    return page(
      200,
      feedPage({
        accounts,
        of,
        followers: of && followers(world.seed, of, world.epoch, now),
        posts: begin.flatMap((post) => show(post, now, answers)),
        now,
      }),
    );
  };
  const gone = (message: string) =>
    page(404, messagePage({ platform: 'social', title: 'Not found', message }));

  const routes: Readonly<Record<string, EndpointHandler>> = {
    'GET /feed': () => feed(undefined),
    'GET /feed/:account': (request) => {
      const name = pathText(request, 'account');
      const account = accounts.find(({ id, username }) => id === name || username === name);
      return account ? feed(account) : gone('There is no such account.');
    },
    'GET /posts/:id': (request) => {
      const post = posts.get(pathText(request, 'id'));
      const now = world.clock.now();
      const [shown] = post ? show(post, now, repliesByPost(posts.list())) : [];
      return shown ? page(200, postPage(shown, now)) : gone('This post does not exist, or was deleted.');
    },
    'GET /media/:id': (request) => {
      const id = pathText(request, 'id');
      const [known, bytes] = [media.get(id), media.bytesOf(id)];
      return known && bytes ? file(known.type, bytes) : notFound();
    },
  };
  return routesOf(routes, (handle) => endpoint(world, 'social', handle));
}

/** The replies to each post, oldest first. */
function repliesByPost(posts: readonly Post[]): ReadonlyMap<string, readonly Post[]> {
  return Map.groupBy(
    posts.toReversed().filter((post) => post.reply_to !== null),
    (post) => post.reply_to ?? '',
  );
}
