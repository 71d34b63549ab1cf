import type { Connection } from '../connections/connection.js';
import type { ConnectionId, DeliveryId } from '../ids.js';
import type { Snapshot } from '../ports/index.js';
import type { Delivery } from '../posts/post.js';
import type { MetricsRequest } from './fetch-metrics.js';

/** The latest snapshots that are stored. */
export interface StoredSnapshots {
  readonly posts: ReadonlyMap<DeliveryId, Snapshot>;
  readonly accounts: ReadonlyMap<ConnectionId, Snapshot>;
}

/** What a report needs fresh: only what the asked metrics are made of. */
export interface MetricsNeed {
  readonly posts: boolean;
  readonly accounts: boolean;
}

/** How many posts of one account are asked for at once. */
export const LIVE_POSTS_MAX = 200;
const FRESH_MS = 3_600_000;

/** What of one account is missing or older than an hour: what was never read first, then what waits longest. */
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
