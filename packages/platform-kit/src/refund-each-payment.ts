import { ok, refuse, type Result } from '@switchboard/domain';
import type { RemoteRefund } from '@switchboard/domain/orders';
import type { PlatformFailureCode, RefundInstruction } from '@switchboard/domain/ports';
import type { RefundPayment } from '@switchboard/domain/refunds';
import { mergeRefunds } from './merge-refunds.js';

type RefundResult = Result<RemoteRefund, PlatformFailureCode>;

/**
 * For stores that refund payments instead of orders: one request per payment, in order. After the first has
 * taken effect, any failure leaves the outcome of the whole refund unknown.
 */
export async function refundEachPayment(
  instruction: RefundInstruction,
  refundPayment: (
    payment: RefundPayment,
    isFirst: boolean,
  ) => Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.unclear'>>,
): Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>> {
  const created: RemoteRefund[] = [];
  for (const payment of instruction.payments) {
    const one = await refundPayment(payment, created.length === 0);
    if (one.ok) {
      created.push(one.value);
    } else if (created.length > 0) {
      return partlyRefunded();
    } else if (one.failure.code === 'platform.refused') {
      const { failure } = one;
      return refuse(
        'refund.refused',
        'The store refused the refund. See `platform` for its error message.',
        failure,
      );
    } else {
      return one;
    }
  }
  return combineRefunds(instruction, created);
}

/**
 * The refunds that the store created for our requests, merged into the requested one; a partial result
 * requires a manual check.
 */
function combineRefunds(
  { payments }: Pick<RefundInstruction, 'payments'>,
  created: readonly RemoteRefund[],
): RefundResult {
  const refund = mergeRefunds(payments, created);
  return refund ? ok(refund) : partlyRefunded();
}

/** The same for refunds found at the store, where no refund at all is certain too. */
export const combineFoundRefunds = (
  instruction: Pick<RefundInstruction, 'payments'>,
  found: readonly RemoteRefund[],
): Result<RemoteRefund | null, PlatformFailureCode> =>
  found.length === 0 ? ok(null) : combineRefunds(instruction, found);

const partlyRefunded = () =>
  refuse('platform.outcome_unknown', 'Only part of this refund exists at the store. Check the order there.');
