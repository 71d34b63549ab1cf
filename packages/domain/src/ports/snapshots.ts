import type { AccountGroupBy } from '../analytics/groups.js';
import type { GroupSort } from '../analytics/group-page.js';
import type { MetricSums } from '../analytics/metric-sums.js';
import type { Metrics } from '../analytics/metrics.js';
import type { ConnectionId, DeliveryId, ExternalPostId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { OffsetChange } from '../posts/local-time.js';

/**
 * The metrics of one published delivery, of an external post, or of an account (neither), as a platform
 * reported them at a time.
 */
export interface Snapshot {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryId: DeliveryId | null;
  readonly externalPostId?: ExternalPostId | undefined;
  readonly metrics: Metrics;
  readonly takenAt: Date;
}

/** The metrics of one account that are due to be read. */
export interface DueMetrics {
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryIds: readonly DeliveryId[];
  readonly externalPostIds: readonly ExternalPostId[];
  readonly includesAccount: boolean;
}

/** What is summed: counts to date of posts published in a time, or what all posts gained in it. */
export type AnalyticsBasis = 'published' | 'activity';

/**
 * Which posts count: those made here, or all posts of the accounts. A post counts once: made here, or the newest
 * metrics of it where the account is connected several times.
 */
export type AnalyticsSource = 'switchboard' | 'all';

/** Connections, in a time that includes its start and not its end. */
export interface ConnectionSelection {
  readonly connectionIds: readonly ConnectionId[];
  readonly from: Date;
  readonly to: Date;
}

/** The published posts of these connections. */
export interface PostSelection extends ConnectionSelection {
  readonly source: AnalyticsSource;
}

/** How sums are grouped: by the key of each connection, in the order of the selection; by post; or by metadata. */
export type SumGrouping =
  | { readonly by: AccountGroupBy; readonly keys: readonly string[] }
  | { readonly by: 'post' | `metadata.${string}`; readonly sort: GroupSort; readonly page: PageRequest };

export interface PostSumsQuery extends PostSelection {
  readonly basis: AnalyticsBasis;
  /** The starts of the intervals of a series, ascending from `from`. */
  readonly intervals: readonly Date[];
  readonly grouping: SumGrouping;
}

/** As in `SumGrouping`, without an order. */
type IntervalGrouping =
  | { readonly by: AccountGroupBy; readonly keys: readonly string[] }
  | { readonly by: 'post' | `metadata.${string}` };

export interface GroupIntervalsQuery extends Omit<PostSumsQuery, 'grouping'> {
  readonly grouping: IntervalGrouping;
  /** The keys of the groups. */
  readonly groups: readonly string[];
}

export interface HourSumsQuery extends ConnectionSelection {
  /** The offsets of the time zone in the time, ascending from `from`. */
  readonly offsets: readonly OffsetChange[];
}

/** Counts to date of the posts made here that were published in one local hour of one weekday. */
export interface HourSums {
  /** 1 (Monday) to 7 (Sunday). */
  readonly weekday: number;
  /** 0 to 23. */
  readonly hour: number;
  /** Posts, not deliveries. */
  readonly postCount: number;
  /** Posts whose engagements are known. */
  readonly measuredPostCount: number;
  /** Posts whose engagements and impressions are known. */
  readonly ratedPostCount: number;
  readonly sums: Pick<MetricSums, 'engagements' | 'rated_impressions' | 'rated_engagements'>;
}

export interface SummedPosts {
  /** Posts, not deliveries. */
  readonly postCount: number;
  readonly sums: MetricSums;
}

export interface SummedGroup extends SummedPosts {
  /** Empty for posts without this key in their metadata. */
  readonly key: string;
  /** The deliveries of a group that is a post made here. */
  readonly deliveryIds: readonly DeliveryId[];
}

export interface SummedConnection {
  readonly connectionId: ConnectionId;
  readonly sums: MetricSums;
  readonly firstPublishedAt: Date;
  /** The oldest of the newest snapshots of these posts; null without any. */
  readonly oldestSnapshotAt: Date | null;
}

export interface PostSums {
  readonly total: SummedPosts & {
    /** The number of deliveries of which a counter decreased; 0 for `published`. */
    readonly decreased: number;
    /** The number of deliveries without a usable snapshot before their first one; 0 for `published`. */
    readonly withoutBaseline: number;
  };
  /** Those with posts. */
  readonly connections: readonly SummedConnection[];
  /** By the index of the interval; one without posts is absent. */
  readonly intervals: ReadonlyMap<number, SummedPosts>;
  /** One page for posts and metadata, all for the others. */
  readonly groups: Rows<SummedGroup>;
}

/** The posts of one connection whose metrics are missing or outdated. */
export interface StalePosts {
  readonly connectionId: ConnectionId;
  /**
   * Never-read ones first, then the oldest, at most 200 together; of many, by the days on which they were
   * published.
   */
  readonly deliveryIds: readonly DeliveryId[];
  readonly externalPostIds: readonly ExternalPostId[];
  /** The number of all of them; `STALE_POSTS_MAX` means that many or more. */
  readonly count: number;
}

/** Stored metrics snapshots: one row per subject and hour, of old ones one per subject and day. */
export interface Snapshots {
  /** The newest snapshot of each of these deliveries. */
  listLatest(
    workspaceId: WorkspaceId,
    deliveryIds: readonly DeliveryId[],
  ): Promise<ReadonlyMap<DeliveryId, Snapshot>>;
  /** The newest account snapshot of each of these connections. */
  listLatestOfAccounts(
    workspaceId: WorkspaceId,
    connectionIds: readonly ConnectionId[],
  ): Promise<ReadonlyMap<ConnectionId, Snapshot>>;
  /**
   * The account snapshots of these connections in a time, ascending, and for each the newest one before it.
   */
  listOfAccounts(
    workspaceId: WorkspaceId,
    selection: ConnectionSelection,
  ): Promise<ReadonlyMap<ConnectionId, readonly Snapshot[]>>;
  /**
   * Posts whose newest snapshot is older than an hour (in the first week after publishing), a day (until day
   * 30) or a week. Those without a public id are not included.
   */
  listStale(workspaceId: WorkspaceId, selection: PostSelection, now: Date): Promise<readonly StalePosts[]>;
  /** Sums of the metrics of all posts, of every connection, interval and group, from one state of the storage. */
  sumPosts(workspaceId: WorkspaceId, query: PostSumsQuery): Promise<PostSums>;
  /** The sums of these groups by the index of the interval. A group or interval without posts is absent. */
  sumGroupsByInterval(
    workspaceId: WorkspaceId,
    query: GroupIntervalsQuery,
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, SummedPosts>>>;
  /** Sums by weekday and hour of publishing; hours without posts are absent. Ascending. */
  sumPostsByHour(workspaceId: WorkspaceId, query: HourSumsQuery): Promise<readonly HourSums[]>;
  findFirstTime(workspaceId: WorkspaceId, connectionIds: readonly ConnectionId[]): Promise<Date | null>;
  /** Of several snapshots of a subject in one hour the newest is kept, regardless of their order. */
  insert(snapshots: readonly Snapshot[]): Promise<void>;
  /**
   * Across workspaces, for the worker only: what is due by the snapshot schedule, of at most `limit`
   * connections, together with what is due within the next ten minutes for the same connections, at most 200
   * posts each. Reschedules it: a reading that fails is repeated at its next time, and no other worker claims
   * it. Deleted connections are not scheduled again, nor are external posts that no report has requested for
   * 30 days.
   */
  claimDue(limit: number): Promise<readonly DueMetrics[]>;
}
