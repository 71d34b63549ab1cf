import { randomBytes } from 'node:crypto';
import type { World } from '../world.js';
import type { Post } from './post.js';
import { seededPosts } from './seeded-posts.js';

const since = { media: [], topic: null } satisfies Partial<Post>;

export type NewPost = Omit<Post, 'id' | 'created_at'>;

/** The posts that exist on the platform. */
export interface Posts {
  create(post: NewPost): Post;
  get(id: string): Post | undefined;
  /** Newest first. */
  list(): Post[];
  delete(post: Post): void;
}

export function postsOf({ clock, epoch, journal, ledger, seed }: World): Posts {
  const stored = journal.collection<Post>('social.posts');
  // Older state files contain neither.
  const whole = (post: Post): Post => ({ ...since, ...post });
  const seeded = journal.collection<true>('social.seeded');
  if (seeded.get('posts') === undefined) {
    journal.transaction(() => {
      seededPosts(seed, epoch).forEach((post) => stored.set(post.id, post));
      seeded.set('posts', true);
    });
  }
  return {
    create(requested) {
      const now = clock.now();
      const post: Post = {
        id: `p${randomBytes(9).toString('hex')}`,
        ...requested,
        created_at: now.toISOString(),
      };
      stored.set(post.id, post);
      record('post.created', post, now);
      return post;
    },
    get(id) {
      const post = stored.get(id);
      return post && whole(post);
    },
    list: () =>
      stored
        .values()
        .map(whole)
        .sort((a, b) =>
          a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : a.id < b.id ? 1 : -1,
        ),
    delete(post) {
      stored.delete(post.id);
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
