import { money, type RemoteRefund } from '@switchboard/platform-kit';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import type { WireRefund, WireTransaction } from './wire.js';

/**
 * Whether it is certain that this money did not and will not move: an `ERROR` may have occurred after the
 * gateway received it.
 */
export const hasFailed = ({ status }: Pick<WireTransaction, 'status'>): boolean => status === 'FAILURE';

/** Money that Shopify only records: a bank deposit, cash on delivery, the till. */
export const isPaidOffline = ({ manualPaymentGateway, gateway }: WireTransaction): boolean =>
  manualPaymentGateway || gateway === 'manual' || gateway === 'cash';

/**
 * The status of a refund is that of its transactions: its existence does not prove that money was returned.
 */
export function readRefund(
  wire: Pick<WireRefund, 'id' | 'note' | 'createdAt' | 'processedAt'>,
  transactions: readonly WireTransaction[],
  currency: string,
): RemoteRefund {
  const { reference, words } = parseReferenceMarker(wire.note);
  const going = transactions.filter((one) => !hasFailed(one));
  const counted = going.length > 0 ? going : transactions;
  const amountMinor = counted.reduce((sum, one) => sum + moneyOf(one.amountSet, currency).amountMinor, 0);
  const isDone = going.every(({ kind, status }) => kind === 'REFUND' && status === 'SUCCESS');
  const payments = [...new Set(counted.map(({ parentTransaction }) => parentTransaction?.id ?? null))];
  return {
    externalId: wire.id,
    status: transactions.length > 0 && going.length === 0 ? 'failed' : isDone ? 'succeeded' : 'pending',
    amount: money(amountMinor, currency),
    reference,
    reason: words,
    paymentId: payments.length === 1 ? (payments[0] ?? null) : null,
    moneyMoved: isDone && going.some((one) => !isPaidOffline(one)),
    createdAt: wire.createdAt ?? wire.processedAt,
  };
}

/** The refunds of an order. A transaction that the order does not list may have any amount. */
export const refundsOf = (
  refunds: readonly WireRefund[],
  transactions: readonly WireTransaction[],
  currency: string,
): readonly RemoteRefund[] =>
  refunds.map((refund) => {
    const { nodes, pageInfo } = refund.transactions;
    const known = nodes.flatMap(({ id }) => transactions.find((one) => one.id === id) ?? []);
    const read = readRefund(refund, known, currency);
    return pageInfo.hasNextPage || known.length < nodes.length
      ? { ...read, status: 'pending', moneyMoved: false }
      : read;
  });
