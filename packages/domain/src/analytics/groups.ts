import type { ConnectionId, PostId } from '../ids.js';
import { sumMetrics } from './metric-sums.js';
import type { AnalyticsMetrics } from './metrics.js';
import {
  countPosts,
  deduplicateAccounts,
  type AccountMetrics,
  type CollectedMetrics,
  type PostMetrics,
} from './collected-metrics.js';

export type GroupBy = 'platform' | 'connection' | 'profile' | 'post';

export interface AnalyticsGroup {
  /** A platform's id, or the id of a connection, profile or post. */
  readonly key: string;
  readonly platform?: string;
  readonly connectionId?: ConnectionId;
  readonly post?: GroupedPost;
  readonly postCount: number;
  readonly metrics: AnalyticsMetrics;
}

interface GroupedPost {
  readonly id: PostId;
  readonly text: string;
  /** When the first of its deliveries was published. */
  readonly publishedAt: Date;
  readonly urls: readonly string[];
}

interface GroupMembers {
  readonly posts: PostMetrics[];
  readonly accounts: AccountMetrics[];
}

/**
 * Every group that has a post or an account, in no particular order. A post is not an account: grouped by
 * post, followers are null.
 */
export function groupMetrics({ posts, accounts }: CollectedMetrics, by: GroupBy): readonly AnalyticsGroup[] {
  const groups = new Map<string, GroupMembers>();
  const membersOf = (key: string): GroupMembers => {
    const known = groups.get(key) ?? { posts: [], accounts: [] };
    groups.set(key, known);
    return known;
  };
  for (const post of posts) membersOf(by === 'post' ? post.postId : sourceKey(post, by)).posts.push(post);
  if (by !== 'post') for (const account of accounts) membersOf(sourceKey(account, by)).accounts.push(account);
  return [...groups].map(([key, group]) => ({
    key,
    ...describeGroup(by, group),
    postCount: countPosts(group.posts),
    metrics: sumMetrics(
      group.posts.map(({ metrics }) => metrics),
      deduplicateAccounts(group.accounts).map(({ metrics }) => metrics),
    ),
  }));
}

function sourceKey(source: PostMetrics | AccountMetrics, by: Exclude<GroupBy, 'post'>): string {
  if (by === 'platform') return source.platform;
  return by === 'connection' ? source.connectionId : source.profileId;
}

function describeGroup(
  by: GroupBy,
  { posts, accounts }: GroupMembers,
): Pick<AnalyticsGroup, 'platform' | 'connectionId' | 'post'> {
  const source = posts[0] ?? accounts[0];
  if (!source || by === 'profile') return {};
  if (by === 'platform') return { platform: source.platform };
  if (by === 'connection') return { platform: source.platform, connectionId: source.connectionId };
  const first = posts.reduce((a, b) => (b.publishedAt < a.publishedAt ? b : a));
  return {
    post: {
      id: first.postId,
      text: first.text,
      publishedAt: first.publishedAt,
      urls: posts.flatMap(({ url }) => url ?? []),
    },
  };
}
