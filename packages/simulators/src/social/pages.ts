import { Router } from 'express';
import type { Account } from '../account.js';
import type { ShownPost } from '../pages/feed-page.js';
import { feedPage, postPage } from '../pages/feed-page.js';
import { messagePage } from '../pages/message-page.js';
import { page } from '../wire/answer.js';
import { endpoint } from '../wire/endpoint.js';
import { pathText } from '../wire/parameters.js';
import type { World } from '../world.js';
import { followers, postMetrics } from './insights.js';
import type { Post } from './post.js';
import type { Posts } from './posts.js';

const SHOWN = 100;

export function socialPages(world: World, accounts: readonly Account[], posts: Posts): Router {
  const authorOf = (post: Post | undefined) => accounts.find((account) => account.id === post?.account_id);
  const show = (post: Post, now: Date): ShownPost[] => {
    const author = authorOf(post);
    if (!author) return [];
    const repliesTo = post.reply_to === null ? undefined : authorOf(posts.get(post.reply_to));
    return [{ post, author, metrics: postMetrics(world.seed, post, now), repliesTo }];
  };
  const feed = (of: Account | undefined) => {
    const now = world.clock.now();
    const chosen = posts.list().filter((post) => of === undefined || post.account_id === of.id);
    return page(
      200,
      feedPage({
        accounts,
        of,
        followers: of && followers(world.seed, of, world.epoch, now),
        posts: chosen.slice(0, SHOWN).flatMap((post) => show(post, now)),
        now,
      }),
    );
  };
  const gone = (message: string) =>
    page(404, messagePage({ platform: 'social', title: 'Not here', message }));

  return Router()
    .get(
      '/feed',
      endpoint(world, 'social', () => feed(undefined)),
    )
    .get(
      '/feed/:account',
      endpoint(world, 'social', (request) => {
        const name = pathText(request, 'account');
        const account = accounts.find(({ id, username }) => id === name || username === name);
        return account ? feed(account) : gone('There is no such account.');
      }),
    )
    .get(
      '/posts/:id',
      endpoint(world, 'social', (request) => {
        const post = posts.get(pathText(request, 'id'));
        const now = world.clock.now();
        const [shown] = post ? show(post, now) : [];
        return shown ? page(200, postPage(shown, now)) : gone('This post does not exist, or was deleted.');
      }),
    );
}
