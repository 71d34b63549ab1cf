import type { Connection } from '../connections/connection.js';
import { learnPermissions, type LearnPorts } from '../connections/learn-permissions.js';
import { refuse } from '../failure.js';
import type { Analytics, Ports, Session, Snapshot } from '../ports/index.js';
import { hasResolvedUrl } from '../deliveries/resolve-published-urls.js';
import type { Delivery } from '../deliveries/delivery.js';
import { ok, type Result } from '../result.js';
import { noMetrics, type Metrics } from './metrics.js';

export type LiveMetricsPorts = Pick<Ports, 'platforms' | 'sessions'> & LearnPorts;

/** The metrics to query for one account. */
export interface MetricsRequest {
  readonly connection: Connection;
  readonly deliveries: readonly Delivery[];
  readonly includesAccount: boolean;
}

/** Small enough that results received before the timeout are kept. */
const POSTS_PER_REQUEST = 50;

/**
 * Queries a platform for metrics and passes every response to `take` as it arrives, so that a failure or
 * timeout loses only what has not arrived yet. Returns how many of the posts the platform does not know;
 * posts without a public id are not queried.
 */
export async function fetchMetrics(
  ports: LiveMetricsPorts,
  { connection, deliveries, includesAccount }: MetricsRequest,
  actor: string,
  signal: AbortSignal,
  onSnapshot: (snapshot: Snapshot) => void,
): Promise<Result<{ readonly unknownPosts: number }>> {
  const { analytics, publishing, manifest } = ports.platforms.find(connection.platform) ?? {};
  if (!analytics || !manifest) return ok({ unknownPosts: 0 });
  if (connection.status === 'needs_reauth') {
    return refuse('connection.needs_reauth', 'The account must be reconnected.');
  }
  const session = await ports.sessions.open(connection, { purpose: 'analytics', actor }, signal);
  if (!session.ok) return session;
  const record = (delivery: Delivery | null, metrics: Metrics) =>
    onSnapshot({
      workspaceId: connection.workspaceId,
      connectionId: connection.id,
      deliveryId: delivery?.id ?? null,
      metrics,
      takenAt: ports.clock.now(),
    });
  const posts = deliveries.filter((one) => hasResolvedUrl(publishing, one));
  const [ofPosts, ofAccount] = await Promise.all([
    fetchPostMetrics(analytics, session.value, posts, record),
    includesAccount ? fetchAccountMetrics(analytics, session.value, record) : ok(),
  ]);
  const read = ofAccount.ok ? ofPosts : ofAccount;
  const isQueried = posts.length > 0 || (includesAccount && analytics.ofAccount !== undefined);
  if (isQueried)
    await learnPermissions(ports, manifest, connection, 'analytics', read.ok ? 'ok' : read.failure.code);
  return read.ok ? ofPosts : read;
}

async function fetchPostMetrics(
  analytics: Analytics,
  session: Session,
  deliveries: readonly Delivery[],
  record: (delivery: Delivery, metrics: Metrics) => void,
): Promise<Result<{ readonly unknownPosts: number }>> {
  let unknownPosts = 0;
  for (let at = 0; at < deliveries.length; at += POSTS_PER_REQUEST) {
    const batch = deliveries.slice(at, at + POSTS_PER_REQUEST);
    const read = await analytics.ofPosts(
      session,
      batch.flatMap(({ externalId }) => externalId ?? []),
    );
    if (!read.ok) return read;
    for (const delivery of batch) {
      const metrics = delivery.externalId === null ? undefined : read.value.get(delivery.externalId);
      if (metrics) record(delivery, metrics);
      else unknownPosts++;
    }
  }
  return ok({ unknownPosts });
}

/** A platform without account metrics is recorded as queried, with no known values. */
async function fetchAccountMetrics(
  analytics: Analytics,
  session: Session,
  record: (delivery: null, metrics: Metrics) => void,
): Promise<Result<undefined>> {
  const read = analytics.ofAccount ? await analytics.ofAccount(session) : ok(noMetrics);
  if (!read.ok) return read;
  record(null, read.value);
  return ok();
}
