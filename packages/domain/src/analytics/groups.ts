import type { Connection } from '../connections/connection.js';
import type { Delivery } from '../deliveries/delivery.js';
import { parseId, type ConnectionId, type DeliveryId, type ExternalPostId, type PostId } from '../ids.js';
import type { SummedGroup } from '../ports/index.js';
import { sumAccounts, type AccountHistory } from './accounts.js';
import type { DateRange } from './date-range.js';
import type { ExternalPost } from './external-post.js';
import { addMetricSums, noAccountMetrics, toAnalyticsMetrics } from './metric-sums.js';
import type { AnalyticsMetrics } from './metrics.js';

export const groupKinds = ['platform', 'connection', 'profile', 'post'] as const;
/** `metadata.<key>`: by the value of that key of the posts. */
export type GroupBy = (typeof groupKinds)[number] | `metadata.${string}`;

export interface AnalyticsGroup {
  /**
   * A platform's id, the id of a connection, profile, post or external post, or a value of the metadata: empty
   * for posts without one.
   */
  readonly key: string;
  readonly platform?: string;
  readonly connectionId?: ConnectionId;
  readonly post?: GroupedPost;
  readonly postCount: number;
  readonly metrics: AnalyticsMetrics;
}

interface GroupedPost {
  /** Null for a post made elsewhere. */
  readonly id: PostId | null;
  readonly text: string;
  /** When the first of its deliveries was published. */
  readonly publishedAt: Date;
  readonly urls: readonly string[];
}

/** Groups of accounts; those of posts and of metadata can be many, and are sorted and paged by storage. */
export type AccountGroupBy = Extract<GroupBy, 'platform' | 'connection' | 'profile'>;

export const isAccountGroup = (by: GroupBy): by is AccountGroupBy =>
  by === 'platform' || by === 'connection' || by === 'profile';

export function accountGroupKey({ platform, id, profileId }: Connection, by: AccountGroupBy): string {
  if (by === 'platform') return platform;
  return by === 'connection' ? id : profileId;
}

/** Every group that has an account, in no particular order. */
export function buildAccountGroups(
  by: AccountGroupBy,
  summed: readonly SummedGroup[],
  accounts: readonly AccountHistory[],
  { startsAt: from, endsAt: to }: Pick<DateRange, 'startsAt' | 'endsAt'>,
): readonly AnalyticsGroup[] {
  const posts = new Map(summed.map((group) => [group.key, group]));
  const members = Map.groupBy(accounts, ({ connection }) => accountGroupKey(connection, by));
  return [...members].map(([key, group]) => {
    const { postCount = 0, sums = addMetricSums([]) } = posts.get(key) ?? {};
    const [first] = group;
    return {
      key,
      ...(by !== 'profile' && first && { platform: first.connection.platform }),
      ...(by === 'connection' && first && { connectionId: first.connection.id }),
      postCount,
      metrics: toAnalyticsMetrics(sums, sumAccounts(group, { from, to })),
    };
  });
}

export interface DescribedPosts {
  readonly deliveries: ReadonlyMap<DeliveryId, Delivery>;
  readonly externalPosts: ReadonlyMap<ExternalPostId, ExternalPost>;
}

/** A post is not an account: its followers are null. */
export const buildPostGroups = (
  by: Exclude<GroupBy, AccountGroupBy>,
  summed: readonly SummedGroup[],
  { deliveries, externalPosts }: DescribedPosts,
  connections: readonly Connection[],
): readonly AnalyticsGroup[] =>
  summed.map(({ key, postCount, sums, deliveryIds }) => ({
    key,
    ...(by === 'post' &&
      (describeExternalPost(externalPosts.get(parseId('ext', key) ?? ('' as ExternalPostId)), connections) ??
        describePost(deliveryIds.flatMap((id) => deliveries.get(id) ?? [])))),
    postCount,
    metrics: toAnalyticsMetrics(sums, noAccountMetrics),
  }));

function describePost(deliveries: readonly Delivery[]): { readonly post?: GroupedPost } {
  const [first] = [...deliveries].sort(
    (a, b) => (a.publishedAt?.getTime() ?? 0) - (b.publishedAt?.getTime() ?? 0),
  );
  if (!first?.publishedAt) return {};
  const { postId: id, parts, publishedAt } = first;
  const urls = deliveries.flatMap(({ url }) => url ?? []);
  return { post: { id, text: parts[0]?.text ?? '', publishedAt, urls } };
}

function describeExternalPost(
  post: ExternalPost | undefined,
  connections: readonly Connection[],
): Pick<AnalyticsGroup, 'platform' | 'connectionId' | 'post'> | null {
  const connection = connections.find(({ id }) => id === post?.connectionId);
  if (!post || !connection) return null;
  const { publishedAt, url, text } = post;
  return {
    platform: connection.platform,
    connectionId: connection.id,
    post: { id: null, text, publishedAt, urls: url === null ? [] : [url] },
  };
}
