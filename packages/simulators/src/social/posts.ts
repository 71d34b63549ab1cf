import { randomBytes } from 'node:crypto';
import type { World } from '../world.js';
import type { Post } from './post.js';
import { seededPosts } from './seeded-posts.js';

export type NewPost = Omit<Post, 'id' | 'created_at'>;

/** What stands on the platform. */
export interface Posts {
  create(post: NewPost): Post;
  get(id: string): Post | undefined;
  /** Newest first. */
  list(): Post[];
  delete(post: Post): void;
}

export function postsOf({ clock, epoch, journal, ledger, seed }: World): Posts {
  const posts = journal.collection<Post>('social.posts');
  const seeded = journal.collection<true>('social.seeded');
  if (seeded.get('posts') === undefined) {
    journal.together(() => {
      seededPosts(seed, epoch).forEach((post) => posts.set(post.id, post));
      seeded.set('posts', true);
    });
  }
  return {
    create(wanted) {
      const now = clock.now();
      const post: Post = {
        id: `p${randomBytes(9).toString('hex')}`,
        ...wanted,
        created_at: now.toISOString(),
      };
      posts.set(post.id, post);
      record('post.created', post, now);
      return post;
    },
    get: (id) => posts.get(id),
    list: () =>
      posts
        .values()
        .sort((a, b) =>
          a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : a.id < b.id ? 1 : -1,
        ),
    delete(post) {
      posts.delete(post.id);
      record('post.deleted', post, clock.now());
    },
  };

  function record(effect: 'post.created' | 'post.deleted', post: Post, at: Date): void {
    ledger.append(
      { platform: 'social', effect, account: post.account_id, id: post.id, reference: post.client_ref },
      at,
    );
  }
}
