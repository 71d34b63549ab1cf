import type { Scope } from '../access/scope.js';
import { SCHEDULED_POSTS_MAX, type ConnectionView } from '../connections/list-connections.js';
import { formatAmount } from '../money.js';
import { nextCall } from '../next-call.js';
import { orderIdOf } from '../refunds/refund-record.js';
import type { DeliveryInReview, MissedPost } from '../ports/posts.js';
import type { Manifest, Manifests } from '../ports/platform.js';
import type { Refund } from '../refunds/refund.js';
import type { AttentionItem } from './attention.js';

/** Posts that were missed longer ago than this are nobody's concern any more. */
export const MISSED_DAYS = 30;
/** So long before a version of a platform's API ends, whoever runs the service is told. */
export const VERSION_NOTICE_DAYS = 90;
export const DAY_MS = 86_400_000;

type ManifestLookup = Pick<Manifests, 'find'>;
type ScopeCheck = (scope: Scope) => boolean;

/** By what a platform is called. */
const platformName = (manifests: ManifestLookup, id: string): string =>
  manifests.find(id)?.name ?? 'a platform';

/** `live`: the store can be asked, so the order itself tells what became of it. */
export const refundItem = (refund: Refund, live: boolean): AttentionItem => ({
  kind: 'refund_needs_review',
  since: refund.createdAt,
  title: `${formatAmount(refund.amount)} ${refund.amount.currency}`,
  platform: refund.platform,
  connectionId: refund.connectionId,
  refundId: refund.id,
  message: `The store may have made this refund or not, and does not tell. A person has to compare it with the order in the store and settle it: POST /v1/ecommerce/refunds/${refund.id}/resolve. Do not refund it again.`,
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
  message: `It may be live on ${platformName(manifests, delivery.platform)} already, which does not tell. A person has to look at the account and settle it: POST /v1/social/posts/${delivery.postId}/deliveries/${delivery.id}/resolve. Do not send it again.`,
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
      ? 'No post waits for it.'
      : `${scheduledPosts === 1 ? '1 post waits' : `${count} posts wait`} for it, the first due at ${nextPostAt?.toISOString()}.`;
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
    message: `${platformName(manifests, platform)} does not let us in any more: the account’s owner has to connect it again. ${waiting}`,
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
    message: `It could not go out in time on ${names} and will not by itself. A person has to say whether it is still wanted: if so, send it now (retry_post; POST /v1/social/posts/${missed.id}/retry); if not, leave it.`,
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
    message: `Version ${apiVersion} of the API of ${name} ${ends} ${endsOn}. Whoever runs this service has to update it.`,
    next: nextCall.getPlatform(id),
  };
}
