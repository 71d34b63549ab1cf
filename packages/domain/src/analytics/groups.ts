import type { ConnectionId, PostId } from '../ids.js';
import { sumMetrics } from './metric-sums.js';
import type { AnalyticsMetrics } from './metrics.js';
import {
  countPosts,
  eachAccountOnce,
  type AccountNumbers,
  type Numbers,
  type PostNumbers,
} from './numbers.js';

export type GroupBy = 'platform' | 'connection' | 'profile' | 'post';

export interface Group {
  /** A platform's id, or the id of a connection, profile or post. */
  readonly key: string;
  readonly platform?: string;
  readonly connectionId?: ConnectionId;
  readonly post?: GroupedPost;
  readonly postCount: number;
  readonly metrics: AnalyticsMetrics;
}

export interface GroupedPost {
  readonly id: PostId;
  readonly text: string;
  /** When the first of its deliveries went out. */
  readonly publishedAt: Date;
  readonly urls: readonly string[];
}

interface Members {
  readonly posts: PostNumbers[];
  readonly accounts: AccountNumbers[];
}

/** Every group that has a post or an account, in no particular order. A post is not an account: by post, nobody has followers. */
export function groupNumbers({ posts, accounts }: Numbers, by: GroupBy): readonly Group[] {
  const groups = new Map<string, Members>();
  const members = (key: string): Members => {
    const known = groups.get(key) ?? { posts: [], accounts: [] };
    groups.set(key, known);
    return known;
  };
  for (const post of posts) members(by === 'post' ? post.postId : sourceKey(post, by)).posts.push(post);
  if (by !== 'post') for (const account of accounts) members(sourceKey(account, by)).accounts.push(account);
  return [...groups].map(([key, group]) => ({
    key,
    ...describe(by, group),
    postCount: countPosts(group.posts),
    metrics: sumMetrics(
      group.posts.map(({ metrics }) => metrics),
      eachAccountOnce(group.accounts).map(({ metrics }) => metrics),
    ),
  }));
}

function sourceKey(source: PostNumbers | AccountNumbers, by: Exclude<GroupBy, 'post'>): string {
  if (by === 'platform') return source.platform;
  return by === 'connection' ? source.connectionId : source.profileId;
}

function describe(
  by: GroupBy,
  { posts, accounts }: Members,
): Pick<Group, 'platform' | 'connectionId' | 'post'> {
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
