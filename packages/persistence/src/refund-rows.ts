import type { ConnectionId, QuoteId, RefundId, WorkspaceId } from '@switchboard/domain';
import type { Quote, Refund, RefundExtent, RefundPayment, RefundStatus } from '@switchboard/domain/refunds';
import { readJson, writeJson, writeNullableJson } from './columns.js';
import { readApprovalState } from './prisma-approvals.js';
import type { QuoteModel, RefundModel } from './generated/models.js';

export function toRefund(row: RefundModel): Refund {
  const { amountMinor, currency, idempotencyKey: _, fingerprint: __, leaseUntil: ___, ...rest } = row;
  return {
    ...rest,
    id: row.id as RefundId,
    workspaceId: row.workspaceId as WorkspaceId,
    connectionId: row.connectionId as ConnectionId,
    status: row.status as RefundStatus,
    amount: { amountMinor: Number(amountMinor), currency },
    extent: readJson<RefundExtent>(row.extent),
    payments: readJson<RefundPayment[]>(row.payments),
    source: row.source as Refund['source'],
    error: readJson<Refund['error']>(row.error),
    approval: readApprovalState(row.approval),
    heldBy: null,
    quoteId: row.quoteId as QuoteId | null,
  };
}

/** Without the state of its approval, which a trigger writes, and what holds it. */
export const toRefundColumns = ({
  amount,
  extent,
  payments,
  error,
  approval: _,
  heldBy: __,
  ...rest
}: Refund) => ({
  ...rest,
  amountMinor: BigInt(amount.amountMinor),
  currency: amount.currency,
  extent: writeJson(extent),
  payments: writeJson(payments),
  error: writeNullableJson(error),
});

export function toQuote(row: QuoteModel): Quote {
  const { amountMinor, currency, ...rest } = row;
  return {
    ...rest,
    id: row.id as QuoteId,
    workspaceId: row.workspaceId as WorkspaceId,
    connectionId: row.connectionId as ConnectionId,
    extent: readJson<RefundExtent>(row.extent),
    amount: { amountMinor: Number(amountMinor), currency },
    payments: readJson<RefundPayment[]>(row.payments),
    refundableAfter: { amountMinor: Number(row.refundableAfter), currency },
    usedBy: row.usedBy as RefundId | null,
  };
}

export const toQuoteColumns = ({ amount, extent, payments, refundableAfter, ...rest }: Quote) => ({
  ...rest,
  amountMinor: BigInt(amount.amountMinor),
  currency: amount.currency,
  extent: writeJson(extent),
  payments: writeJson(payments),
  refundableAfter: BigInt(refundableAfter.amountMinor),
});
