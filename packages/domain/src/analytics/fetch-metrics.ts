import type { Connection } from '../connections/connection.js';
import { learnPermissions, type LearnPorts } from '../connections/learn-permissions.js';
import { refuse, type Failure } from '../failure.js';
import type { Platform, Ports, Session, Snapshot } from '../ports/index.js';
import { hasResolvedUrl } from '../deliveries/resolve-published-urls.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { DeliveryId, ExternalPostId } from '../ids.js';
import { ok, type Result } from '../result.js';
import type { ExternalPost } from './external-post.js';
import { listAccountPosts, needsListing, type ListingRequest } from './list-account-posts.js';
import { noMetrics, type Metrics } from './metrics.js';
import { LIVE_POSTS_MAX } from './snapshot-schedule.js';

export type LiveMetricsPorts = Pick<Ports, 'platforms' | 'sessions'> & LearnPorts;

/** The metrics to query for one account. */
export interface MetricsRequest {
  readonly connection: Connection;
  readonly deliveries: readonly Delivery[];
  readonly externalPosts: readonly ExternalPost[];
  readonly includesAccount: boolean;
  /** The posts to list first; null for none. New ones are read with the others. */
  readonly listing: ListingRequest | null;
}

export interface MetricsOutcome {
  /** The posts that the platform does not know. */
  readonly unknownPosts: number;
  /** The new posts whose metrics are left to a later request. */
  readonly deferredPosts: number;
  /** The failure of listing posts made elsewhere, which does not affect the metrics. */
  readonly listingFailure: Failure | null;
}

/** A post at the platform, and what its metrics belong to. */
interface MeasuredPost {
  readonly deliveryId: DeliveryId | null;
  readonly externalPostId?: ExternalPostId;
  readonly externalId: string;
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
  { connection, deliveries, externalPosts, includesAccount, listing }: MetricsRequest,
  actor: string,
  signal: AbortSignal,
  onSnapshot: (snapshot: Snapshot) => void,
): Promise<Result<MetricsOutcome>> {
  const { analytics, publishing, manifest } = ports.platforms.find(connection.platform) ?? {};
  if (!analytics || !manifest) return ok({ unknownPosts: 0, deferredPosts: 0, listingFailure: null });
  if (connection.status === 'needs_reauth') {
    return refuse('connection.needs_reauth', 'The account must be reconnected.');
  }
  const session = await ports.sessions.open(connection, { purpose: 'analytics', actor }, signal);
  if (!session.ok) return session;
  const record = (post: MeasuredPost | null, metrics: Metrics) =>
    onSnapshot({
      workspaceId: connection.workspaceId,
      connectionId: connection.id,
      deliveryId: post?.deliveryId ?? null,
      ...(post?.externalPostId !== undefined && { externalPostId: post.externalPostId }),
      metrics,
      takenAt: ports.clock.now(),
    });
  let posts = analytics.ofPosts
    ? [
        ...deliveries.filter((one) => hasResolvedUrl(publishing, one)).flatMap(toMeasuredDelivery),
        ...externalPosts.map(toMeasuredPost),
      ]
    : [];
  let listingFailure: Failure | null = null;
  let deferredPosts = 0;
  const facts = manifest.postList;
  if (listing && facts && needsListing(listing, ports.clock.now())) {
    const listed = await listAccountPosts(
      ports,
      connection,
      session.value,
      { analytics, facts },
      listing,
      (found) => {
        for (const { post, isNew, metrics } of found) {
          if (metrics) {
            record(toMeasuredPost(post), metrics);
            posts = posts.filter(({ externalPostId }) => externalPostId !== post.id);
          } else if (isNew && post.publishedAt >= listing.since) {
            if (posts.length < LIVE_POSTS_MAX) posts.push(toMeasuredPost(post));
            else deferredPosts++;
          }
        }
      },
    );
    if (!listed.ok) listingFailure = listed.failure;
  }
  const [ofPosts, ofAccount] = await Promise.all([
    fetchPostMetrics(analytics, session.value, posts, record),
    includesAccount ? fetchAccountMetrics(analytics, session.value, record) : ok(),
  ]);
  const read = ofAccount.ok ? ofPosts : ofAccount;
  const isQueried = posts.length > 0 || (includesAccount && analytics.ofAccount !== undefined);
  if (isQueried)
    await learnPermissions(ports, manifest, connection, 'analytics', read.ok ? 'ok' : read.failure.code);
  if (!ofAccount.ok) return ofAccount;
  if (!ofPosts.ok) return ofPosts;
  return ok({ ...ofPosts.value, deferredPosts, listingFailure });
}

const toMeasuredDelivery = ({ id, externalId }: Delivery): readonly MeasuredPost[] =>
  externalId === null ? [] : [{ deliveryId: id, externalId }];

const toMeasuredPost = ({ id, externalId }: ExternalPost): MeasuredPost => ({
  deliveryId: null,
  externalPostId: id,
  externalId,
});

async function fetchPostMetrics(
  analytics: NonNullable<Platform['analytics']>,
  session: Session,
  posts: readonly MeasuredPost[],
  record: (post: MeasuredPost, metrics: Metrics) => void,
): Promise<Result<{ readonly unknownPosts: number }>> {
  let unknownPosts = 0;
  for (let at = 0; at < posts.length; at += POSTS_PER_REQUEST) {
    const batch = posts.slice(at, at + POSTS_PER_REQUEST);
    const read = await analytics.ofPosts?.(
      session,
      batch.map(({ externalId }) => externalId),
    );
    if (!read) break;
    if (!read.ok) return read;
    for (const post of batch) {
      const metrics = read.value.get(post.externalId);
      if (metrics) record(post, metrics);
      else unknownPosts++;
    }
  }
  return ok({ unknownPosts });
}

/** A platform without account metrics is recorded as queried, with no known values. */
async function fetchAccountMetrics(
  analytics: NonNullable<Platform['analytics']>,
  session: Session,
  record: (post: null, metrics: Metrics) => void,
): Promise<Result<undefined>> {
  const read = analytics.ofAccount ? await analytics.ofAccount(session) : ok(noMetrics);
  if (!read.ok) return read;
  record(null, read.value);
  return ok();
}
