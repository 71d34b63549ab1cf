import type { Quote, Refund } from '@switchboard/domain/refunds';
import { writeJson, readRow } from './columns.js';
import { readApprovalState } from './prisma-approvals.js';
import type { QuoteModel, RefundModel } from './generated/models.js';
import { writeNullableJson } from './write-nullable-json.js';

export function toRefund(row: RefundModel): Refund {
  const { amountMinor, currency, idempotencyKey: _, fingerprint: __, leaseUntil: ___, ...rest } = row;
  return {
    ...readRow<Omit<Refund, 'amount' | 'heldBy'>>(rest),
    amount: { amountMinor: Number(amountMinor), currency },
    approval: readApprovalState(row.approval),
    heldBy: null,
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
    ...readRow<Omit<Quote, 'amount'>>(rest),
    amount: { amountMinor: Number(amountMinor), currency },
    refundableAfter: { amountMinor: Number(row.refundableAfter), currency },
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
