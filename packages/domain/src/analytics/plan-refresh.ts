import type { Connection } from '../connections/connection.js';
import type { ConnectionId, DeliveryId } from '../ids.js';
import type { Snapshot } from '../ports/index.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { MetricsRequest } from './fetch-metrics.js';

/** The latest stored snapshots. */
export interface StoredSnapshots {
  readonly posts: ReadonlyMap<DeliveryId, Snapshot>;
  readonly accounts: ReadonlyMap<ConnectionId, Snapshot>;
}

/** The data that a report needs to be fresh: only the sources of the requested metrics. */
export interface MetricsNeed {
  readonly posts: boolean;
  readonly accounts: boolean;
}

/** The maximum number of posts queried live per account. */
export const LIVE_POSTS_MAX = 200;
const FRESH_MS = 3_600_000;

/**
 * The metrics of one account that are missing or older than an hour: never-read ones first, then the oldest.
 */
export function planRefresh(
  now: Date,
  connection: Connection,
  deliveries: readonly Delivery[],
  known: StoredSnapshots,
  need: MetricsNeed,
): MetricsRequest & { readonly deferredPosts: number } {
  const isStale = (snapshot: Snapshot | undefined) =>
    snapshot === undefined || now.getTime() - snapshot.takenAt.getTime() > FRESH_MS;
  const takenMs = ({ id }: Delivery) => known.posts.get(id)?.takenAt.getTime() ?? 0;
  const stale = need.posts
    ? deliveries
        .filter(({ id, externalId }) => externalId !== null && isStale(known.posts.get(id)))
        .sort((a, b) => takenMs(a) - takenMs(b))
    : [];
  return {
    connection,
    deliveries: stale.slice(0, LIVE_POSTS_MAX),
    includesAccount: need.accounts && isStale(known.accounts.get(connection.id)),
    deferredPosts: Math.max(0, stale.length - LIVE_POSTS_MAX),
  };
}
