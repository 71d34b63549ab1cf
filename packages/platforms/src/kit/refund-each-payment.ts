import {
  ok,
  refuse,
  type PlatformFailureCode,
  type RefundInstruction,
  type RefundPayment,
  type RemoteRefund,
  type Result,
} from '@switchboard/domain';
import { mergeRefunds } from './merge-refunds.js';

type RefundResult = Result<RemoteRefund, PlatformFailureCode>;

/**
 * For stores that refund payments and not orders: one request a payment, in order. Once the first has taken effect,
 * whatever else goes wrong leaves the whole unknown.
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
        'The store refused the refund. Its own words are quoted beside.',
        failure,
      );
    } else {
      return one;
    }
  }
  return combineRefunds(instruction, created);
}

/** What the store made of our requests as the one refund that was asked for; a part of it is for a person to look at. */
export function combineRefunds(
  { payments }: Pick<RefundInstruction, 'payments'>,
  created: readonly RemoteRefund[],
): RefundResult {
  const refund = mergeRefunds(payments, created);
  return refund ? ok(refund) : partlyRefunded();
}

/** The same of what was found at the store: nothing at all is certain too. */
export const combineFoundRefunds = (
  instruction: Pick<RefundInstruction, 'payments'>,
  found: readonly RemoteRefund[],
): Result<RemoteRefund | null, PlatformFailureCode> =>
  found.length === 0 ? ok(null) : combineRefunds(instruction, found);

const partlyRefunded = () =>
  refuse(
    'platform.outcome_unknown',
    'Only a part of this refund was found at the store. Look at the order there.',
  );
