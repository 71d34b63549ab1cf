import { type Call, actorName } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { Ports, Snapshot } from '../ports/index.js';
import type { Delivery } from '../deliveries/delivery.js';
import { ok, type Result } from '../result.js';
import { tooManyPosts, type AnalyticsNote, describeOutcome } from './analytics-note.js';
import type { DateRange } from './date-range.js';
import { noMetrics } from './metrics.js';
import type { CollectedMetrics } from './collected-metrics.js';
import { type LiveMetricsPorts, fetchMetrics, type MetricsRequest } from './fetch-metrics.js';
import { planRefresh, type StoredSnapshots, type MetricsNeed } from './plan-refresh.js';

interface MetricsReading extends CollectedMetrics {
  readonly notes: readonly AnalyticsNote[];
  /** The time of the oldest snapshot among them; null without any. */
  readonly oldestSnapshotAt: Date | null;
}

const POSTS_MAX = 10_000;

/**
 * The metrics of all posts that these accounts published in the range: stored values, queried live where they
 * are missing or stale.
 */
export async function readMetrics(
  ports: LiveMetricsPorts & Pick<Ports, 'posts' | 'deliveries' | 'snapshots' | 'transactions'>,
  call: Call,
  connections: readonly Connection[],
  range: DateRange,
  need: MetricsNeed,
): Promise<MetricsReading> {
  const ids = connections.map(({ id }) => id);
  const found = await ports.deliveries.listPublished(
    call.workspaceId,
    { connectionIds: ids, from: range.startsAt, to: range.endsAt },
    POSTS_MAX + 1,
  );
  const published = found.slice(0, POSTS_MAX);
  const [posts, accounts] = await Promise.all([
    ports.snapshots.listLatest(
      call.workspaceId,
      published.map(({ id }) => id),
    ),
    ports.snapshots.listLatestOfAccounts(call.workspaceId, ids),
  ]);
  const byConnection = Map.groupBy(published, ({ connectionId }) => connectionId);
  const now = ports.clock.now();
  const plans = connections.map((connection) =>
    planRefresh(now, connection, byConnection.get(connection.id) ?? [], { posts, accounts }, need),
  );
  const { snapshots, notes } = await refreshMetrics(ports, call, plans);
  if (snapshots.length > 0) {
    await ports.transactions.run(async (tx) => ok(await tx.snapshots.insert(snapshots)));
  }
  return {
    ...assembleMetrics(connections, published, mergeSnapshots({ posts, accounts }, snapshots), need),
    notes: found.length > POSTS_MAX ? [...notes, tooManyPosts(POSTS_MAX)] : notes,
  };
}

function mergeSnapshots(known: StoredSnapshots, taken: readonly Snapshot[]): StoredSnapshots {
  const [posts, accounts] = [new Map(known.posts), new Map(known.accounts)];
  for (const snapshot of taken) {
    if (snapshot.deliveryId === null) accounts.set(snapshot.connectionId, snapshot);
    else posts.set(snapshot.deliveryId, snapshot);
  }
  return { posts, accounts };
}

function assembleMetrics(
  connections: readonly Connection[],
  published: readonly Delivery[],
  known: StoredSnapshots,
  need: MetricsNeed,
): CollectedMetrics & Pick<MetricsReading, 'oldestSnapshotAt'> {
  const sources = new Map(connections.map((connection) => [connection.id, connection]));
  const used = [
    ...(need.posts ? published.flatMap(({ id }) => known.posts.get(id) ?? []) : []),
    ...(need.accounts ? connections.flatMap(({ id }) => known.accounts.get(id) ?? []) : []),
  ];
  return {
    posts: published.flatMap((delivery) => {
      const source = sources.get(delivery.connectionId);
      if (!source || !delivery.publishedAt) return [];
      const { postId, connectionId, platform, parts, url, publishedAt } = delivery;
      const text = parts[0]?.text ?? '';
      const metrics = known.posts.get(delivery.id)?.metrics ?? noMetrics;
      return [
        { postId, connectionId, profileId: source.profileId, platform, text, url, publishedAt, metrics },
      ];
    }),
    accounts: connections.map(({ id, profileId, platform, account }) => ({
      connectionId: id,
      profileId,
      platform,
      account: account.id,
      metrics: known.accounts.get(id)?.metrics ?? noMetrics,
    })),
    oldestSnapshotAt: used.reduce<Date | null>((a, { takenAt: b }) => (a === null || b < a ? b : a), null),
  };
}

interface RefreshResult {
  readonly snapshots: readonly Snapshot[];
  readonly notes: readonly AnalyticsNote[];
}

/**
 * How long a report waits for platforms. All are queried concurrently; results that arrive later are left to
 * the next report.
 */
const BUDGET_MS = 5_000;

/** A failure or timeout of one platform becomes a note and does not affect the others. */
async function refreshMetrics(
  ports: LiveMetricsPorts,
  call: Call,
  plans: readonly (MetricsRequest & { readonly deferredPosts: number })[],
): Promise<RefreshResult> {
  const wanted = plans.filter(({ deliveries, includesAccount }) => deliveries.length > 0 || includesAccount);
  if (wanted.length === 0) return { snapshots: [], notes: [] };
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const timedOut = ports.clock.sleep(BUDGET_MS, signal).then(() => 'out_of_time' as const);
  const taken: Snapshot[] = [];
  try {
    const outcomes = await Promise.all(
      wanted.map(async (plan) => {
        const reading = fetchMetrics(
          ports,
          plan,
          actorName(call),
          signal,
          (snapshot) => void taken.push(snapshot),
        );
        const outcome: Result<{ readonly unknownPosts: number }> | 'out_of_time' = await Promise.race([
          reading,
          timedOut,
        ]);
        return describeOutcome(plan, outcome);
      }),
    );
    return { snapshots: [...taken], notes: outcomes.flatMap((note) => note ?? []) };
  } finally {
    stop.abort();
  }
}
