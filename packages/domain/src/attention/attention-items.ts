import type { Scope } from '../access/scope.js';
import { SCHEDULED_POSTS_MAX, type ConnectionView } from '../connections/list-connections.js';
import { formatAmount } from '../money.js';
import { nextCall } from '../next-call.js';
import { orderIdOf } from '../refunds/refund-record.js';
import type { DeliveryInReview, MissedPost } from '../ports/deliveries.js';
import type { Manifest, Manifests } from '../ports/manifest.js';
import type { Refund } from '../refunds/refund.js';
import type { AttentionItem } from './attention.js';

/** Missed posts older than this are no longer listed. */
export const MISSED_DAYS = 30;
/** How many days before a platform API version ends the operator is notified. */
export const VERSION_NOTICE_DAYS = 90;
export const DAY_MS = 86_400_000;

type ManifestLookup = Pick<Manifests, 'find'>;
type ScopeCheck = (scope: Scope) => boolean;

/** The platform's display name. */
const platformName = (manifests: ManifestLookup, id: string): string =>
  manifests.find(id)?.name ?? 'a platform';

/** `live`: the store can be queried, so the order itself shows the outcome of the refund. */
export const refundItem = (refund: Refund, live: boolean): AttentionItem => ({
  kind: 'refund_needs_review',
  since: refund.createdAt,
  title: `${formatAmount(refund.amount)} ${refund.amount.currency}`,
  platform: refund.platform,
  connectionId: refund.connectionId,
  refundId: refund.id,
  message: `The outcome of this refund is unknown and the store cannot be queried. Compare it with the order in the store, then resolve it: POST /v1/ecommerce/refunds/${refund.id}/resolve. Do not send it again.`,
  next: live ? nextCall.getOrder(orderIdOf(refund)) : nextCall.listRefunds(orderIdOf(refund)),
});

export const reviewItem = (manifests: ManifestLookup, delivery: DeliveryInReview): AttentionItem => ({
  kind: 'post_needs_review',
  since: delivery.since,
  title: delivery.text || null,
  platform: delivery.platform,
  connectionId: delivery.connectionId,
  postId: delivery.postId,
  deliveryId: delivery.id,
  message: `The post may already be published on ${platformName(manifests, delivery.platform)}, which cannot be queried. Check the account, then resolve the delivery: POST /v1/social/posts/${delivery.postId}/deliveries/${delivery.id}/resolve. Do not send it again.`,
  next: nextCall.getPost(delivery.postId),
});

export function connectionItem(
  manifests: ManifestLookup,
  hasScope: ScopeCheck,
  { connection, scheduledPosts, nextPostAt }: ConnectionView,
): AttentionItem {
  const { id, platform, label, account } = connection;
  const count = `${scheduledPosts}${scheduledPosts === SCHEDULED_POSTS_MAX ? ' or more' : ''}`;
  const waiting =
    scheduledPosts === 0
      ? 'No scheduled post depends on it.'
      : `${scheduledPosts === 1 ? '1 scheduled post depends' : `${count} scheduled posts depend`} on it, the first due at ${nextPostAt?.toISOString()}.`;
  const next = hasScope('connections:write')
    ? nextCall.startConnect({ connection_id: id })
    : nextCall.getConnection(id);
  return {
    kind: 'connection_needs_reauth',
    since: null,
    title: label ?? account.name ?? account.username,
    platform,
    connectionId: id,
    scheduledPosts,
    nextPostAt,
    message: `The login at ${platformName(manifests, platform)} has expired or was revoked: the account owner must reconnect it. ${waiting}`,
    next,
  };
}

export function missedPostItem(manifests: ManifestLookup, missed: MissedPost): AttentionItem {
  const names = missed.platforms.map((id) => platformName(manifests, id)).join(', ');
  const [platform = ''] = missed.platforms;
  return {
    kind: 'post_missed',
    since: missed.since,
    title: missed.text || null,
    platform,
    postId: missed.id,
    message: `The publish window was missed on ${names}, and the post is not retried automatically. To publish it now, call retry_post (POST /v1/social/posts/${missed.id}/retry); otherwise no action is needed.`,
    next: nextCall.getPost(missed.id),
  };
}

export function apiVersionItem({ id, name, apiVersion }: Manifest, endsOn: string, now: Date): AttentionItem {
  const ends = endsOn <= now.toISOString().slice(0, 10) ? 'has ended on' : 'ends on';
  return {
    kind: 'api_version_ends',
    since: new Date(new Date(endsOn).getTime() - VERSION_NOTICE_DAYS * DAY_MS),
    title: name,
    platform: id,
    message: `Version ${apiVersion} of the API of ${name} ${ends} ${endsOn}. The operator must update this service.`,
    next: nextCall.getPlatform(id),
  };
}
