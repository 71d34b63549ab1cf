import type { ConnectionId, PostId, ProfileId } from '../ids.js';
import type { Metrics } from './metrics.js';

interface MetricsSource {
  readonly connectionId: ConnectionId;
  readonly profileId: ProfileId;
  readonly platform: string;
}

/** The latest known metrics of a post on one connection; unknown values are null. */
export interface PostMetrics extends MetricsSource {
  readonly postId: PostId;
  readonly text: string;
  readonly url: string | null;
  readonly publishedAt: Date;
  readonly metrics: Metrics;
}

/** The latest known metrics of a connected account. */
export interface AccountMetrics extends MetricsSource {
  /** The platform's own id of the account. */
  readonly account: string;
  readonly metrics: Metrics;
}

export interface CollectedMetrics {
  readonly posts: readonly PostMetrics[];
  readonly accounts: readonly AccountMetrics[];
}

/** Several deliveries may belong to one post. */
export const countPosts = (posts: readonly PostMetrics[]): number =>
  new Set(posts.map(({ postId }) => postId)).size;

/**
 * Counts the followers of an account that is connected in several profiles once; known values take precedence
 * over unknown ones.
 */
export function deduplicateAccounts(accounts: readonly AccountMetrics[]): readonly AccountMetrics[] {
  const accountsByKey = new Map<string, AccountMetrics>();
  for (const one of accounts) {
    const key = JSON.stringify([one.platform, one.account]);
    if ((accountsByKey.get(key)?.metrics.followers ?? null) === null) accountsByKey.set(key, one);
  }
  return [...accountsByKey.values()];
}
