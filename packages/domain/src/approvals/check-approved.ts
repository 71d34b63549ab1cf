import type { Delivery } from '../deliveries/delivery.js';
import type { ReadPorts } from '../ports/index.js';
import type { Refund } from '../refunds/refund.js';
import { deliveryDigest, refundDigest } from './approval-digest.js';

type CheckPorts = Pick<ReadPorts, 'tokens'> & {
  readonly approvals: Pick<ReadPorts['approvals'], 'listOf'>;
};

/**
 * The last check before anything leaves: whether exactly this content was approved. The latest approval that covers a
 * delivery counts. Returns the deliveries that may be sent.
 */
export async function listApproved(
  { approvals, tokens }: CheckPorts,
  deliveries: readonly Delivery[],
): Promise<ReadonlySet<Delivery['id']>> {
  if (deliveries.length === 0) return new Set();
  const all = await approvals.listOf([...new Set(deliveries.map(({ postId }) => postId))]);
  const approved = deliveries.filter((delivery) => {
    const latest = all.find(({ postId, digests }) => postId === delivery.postId && delivery.id in digests);
    return latest?.status === 'approved' && latest.digests[delivery.id] === deliveryDigest(tokens, delivery);
  });
  return new Set(approved.map(({ id }) => id));
}

export async function isRefundApproved({ approvals, tokens }: CheckPorts, refund: Refund): Promise<boolean> {
  const [latest] = await approvals.listOf([refund.id]);
  return latest?.status === 'approved' && latest.digests[refund.id] === refundDigest(tokens, refund);
}
