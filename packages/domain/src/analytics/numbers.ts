import type { ConnectionId, PostId, ProfileId } from '../ids.js';
import type { Metrics } from './metrics.js';

interface Source {
  readonly connectionId: ConnectionId;
  readonly profileId: ProfileId;
  readonly platform: string;
}

/** The latest known numbers of a post on one connection; nulls where nothing is known. */
export interface PostNumbers extends Source {
  readonly postId: PostId;
  readonly text: string;
  readonly url: string | null;
  readonly publishedAt: Date;
  readonly metrics: Metrics;
}

/** The latest known numbers of a connected account. */
export interface AccountNumbers extends Source {
  /** The platform's own id of the account. */
  readonly account: string;
  readonly metrics: Metrics;
}

export interface Numbers {
  readonly posts: readonly PostNumbers[];
  readonly accounts: readonly AccountNumbers[];
}

/** Several deliveries may belong to one post. */
export const countPosts = (posts: readonly PostNumbers[]): number =>
  new Set(posts.map(({ postId }) => postId)).size;

/** An account that is connected in several profiles has its followers once; numbers that are known go before those that are not. */
export function eachAccountOnce(accounts: readonly AccountNumbers[]): readonly AccountNumbers[] {
  const once = new Map<string, AccountNumbers>();
  for (const one of accounts) {
    const key = JSON.stringify([one.platform, one.account]);
    if ((once.get(key)?.metrics.followers ?? null) === null) once.set(key, one);
  }
  return [...once.values()];
}
