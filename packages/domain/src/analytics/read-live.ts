import type { Connection } from '../connections/connection.js';
import { refuse } from '../failure.js';
import type { Analytics, Ports, Session, Snapshot } from '../ports/index.js';
import { isLocated } from '../posts/locate-deliveries.js';
import type { Delivery } from '../posts/post.js';
import { ok, type Result } from '../result.js';
import { noMetrics, type Metrics } from './metrics.js';

export type LivePorts = Pick<Ports, 'clock' | 'platforms' | 'sessions'>;

/** What is to be asked of one account. */
export interface Subjects {
  readonly connection: Connection;
  readonly deliveries: readonly Delivery[];
  readonly account: boolean;
}

/** Small enough that what came before the time ran out is kept. */
const POSTS_PER_REQUEST = 50;

/**
 * Asks a platform for numbers and hands every answer to `take` as it comes, so that a failure or the end of the time costs
 * only what had not come yet. Answers how many of the posts the platform does not know; it is not asked about what has no
 * public id yet.
 */
export async function readLive(
  ports: LivePorts,
  { connection, deliveries, account }: Subjects,
  actor: string,
  signal: AbortSignal,
  take: (snapshot: Snapshot) => void,
): Promise<Result<{ readonly gone: number }>> {
  const { analytics, publishing } = ports.platforms.find(connection.platform) ?? {};
  if (!analytics) return ok({ gone: 0 });
  if (connection.status === 'needs_reauth') {
    return refuse('connection.needs_reauth', 'The account must be connected again.');
  }
  const session = await ports.sessions.open(connection, { purpose: 'analytics', actor }, signal);
  if (!session.ok) return session;
  const keep = (delivery: Delivery | null, metrics: Metrics) =>
    take({
      workspaceId: connection.workspaceId,
      connectionId: connection.id,
      deliveryId: delivery?.id ?? null,
      metrics,
      takenAt: ports.clock.now(),
    });
  const [ofPosts, ofAccount] = await Promise.all([
    readPosts(
      analytics,
      session.value,
      deliveries.filter((one) => isLocated(publishing, one)),
      keep,
    ),
    account ? readAccount(analytics, session.value, keep) : ok(),
  ]);
  return ofAccount.ok ? ofPosts : ofAccount;
}

async function readPosts(
  analytics: Analytics,
  session: Session,
  deliveries: readonly Delivery[],
  keep: (delivery: Delivery, metrics: Metrics) => void,
): Promise<Result<{ readonly gone: number }>> {
  let gone = 0;
  for (let at = 0; at < deliveries.length; at += POSTS_PER_REQUEST) {
    const some = deliveries.slice(at, at + POSTS_PER_REQUEST);
    const read = await analytics.ofPosts(
      session,
      some.flatMap(({ externalId }) => externalId ?? []),
    );
    if (!read.ok) return read;
    for (const delivery of some) {
      const metrics = delivery.externalId === null ? undefined : read.value.get(delivery.externalId);
      if (metrics) keep(delivery, metrics);
      else gone++;
    }
  }
  return ok({ gone });
}

/** A platform that tells nothing of accounts is remembered as asked, with nothing known. */
async function readAccount(
  analytics: Analytics,
  session: Session,
  keep: (delivery: null, metrics: Metrics) => void,
): Promise<Result<undefined>> {
  const read = analytics.ofAccount ? await analytics.ofAccount(session) : ok(noMetrics);
  if (!read.ok) return read;
  keep(null, read.value);
  return ok();
}
