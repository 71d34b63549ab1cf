import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { describeAccount } from '../connections/describe-account.js';
import { formatAmount, type Money } from '../money.js';
import type { RemoteOrder } from '../orders/order.js';
import { safeOrderNumber } from '../orders/safe-order-number.js';
import type { ReadPorts, Tools, Tx } from '../ports/index.js';
import type { RemoteOrderKey } from '../ports/refunds.js';
import { previewRefund } from '../refunds/preview-refund.js';
import type { Refund } from '../refunds/refund.js';
import type { Approval } from './approval.js';
import { refundDigest } from './approval-digest.js';
import {
  listApprovalPolicies,
  toRequirement,
  type ApprovalRequirement,
  type LineagePolicy,
} from './approval-requirement.js';
import { requestApproval } from './request-approval.js';

/**
 * Whether a refund needs an approval: when it exceeds the amount of a policy, together with what the lineage of that
 * policy has refunded of the same order without an approval. Several small refunds are therefore no way around it. A
 * currency without an entry always needs one. Exact only under the locks of the lineages and of the order.
 */
export async function findRefundRequirement(
  ports: {
    readonly apiKeys: Pick<ReadPorts['apiKeys'], 'listCurrent'>;
    readonly refunds: Pick<ReadPorts['refunds'], 'sumUnapproved'>;
  },
  call: Call,
  order: RemoteOrderKey,
  amount: Money,
): Promise<ApprovalRequirement | null> {
  const policies = (await listApprovalPolicies(ports, call)).filter(
    ({ approval }) => approval.refundsOver.length > 0,
  );
  if (policies.length === 0) return null;
  const lineages = [...new Set(policies.map(({ lineage }) => lineage))];
  const earlier = await ports.refunds.sumUnapproved(order, lineages);
  const exceeds = ({ lineage, approval }: LineagePolicy) => {
    const limit = approval.refundsOver.find(({ currency }) => currency === amount.currency);
    return limit === undefined || (earlier.get(lineage) ?? 0) + amount.amountMinor > limit.amountMinor;
  };
  return toRequirement(call, policies.filter(exceeds));
}

/** Creates the request for the approval of a refund that was just reserved. `order` is corrected by the ledger. */
export function requestRefundApproval(
  tx: Pick<Tx, 'approvals' | 'events'>,
  tools: Pick<Tools, 'ids' | 'clock' | 'manifests' | 'tokens'>,
  call: Call,
  {
    refund,
    order,
    connection,
  }: { readonly refund: Refund; readonly order: RemoteOrder; readonly connection: Connection },
  requirement: ApprovalRequirement,
): Promise<Approval> {
  const platform = tools.manifests.find(connection.platform)?.name ?? 'a store';
  const number = safeOrderNumber(order.number);
  const subject = {
    profileId: connection.profileId,
    refundId: refund.id,
    digests: { [refund.id]: refundDigest(tools.tokens, refund) },
    summary: `Refund ${formatAmount(refund.amount)} ${refund.amount.currency} of ${number === null ? 'an order' : `order ${number}`} of ${describeAccount(connection.account, platform)}.`,
    refundPreview: previewRefund(order, refund),
  };
  return requestApproval(tx, tools, call, subject, requirement);
}
