import {
  ok,
  refuse,
  type PlatformFailureCode,
  type RefundInstruction,
  type RefundPayment,
  type RemoteRefund,
  type Result,
} from '@switchboard/domain';
import { together } from './together.js';

type Made = Result<RemoteRefund, PlatformFailureCode>;

/**
 * For stores that refund payments and not orders: one request a payment, in order. Once the first has taken effect,
 * whatever else goes wrong leaves the whole unknown.
 */
export async function refundEach(
  instruction: RefundInstruction,
  refundPayment: (
    payment: RefundPayment,
    isFirst: boolean,
  ) => Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.unclear'>>,
): Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>> {
  const made: RemoteRefund[] = [];
  for (const payment of instruction.payments) {
    const one = await refundPayment(payment, made.length === 0);
    if (one.ok) {
      made.push(one.value);
    } else if (made.length > 0) {
      return halfDone();
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
  return asOne(instruction, made);
}

/** What the store made of our requests as the one refund that was asked for; a part of it is for a person to look at. */
export function asOne(
  { payments }: Pick<RefundInstruction, 'payments'>,
  made: readonly RemoteRefund[],
): Made {
  const refund = together(payments, made);
  return refund ? ok(refund) : halfDone();
}

/** The same of what was found at the store: nothing at all is certain too. */
export const foundAsOne = (
  instruction: Pick<RefundInstruction, 'payments'>,
  found: readonly RemoteRefund[],
): Result<RemoteRefund | null, PlatformFailureCode> =>
  found.length === 0 ? ok(null) : asOne(instruction, found);

const halfDone = () =>
  refuse(
    'platform.outcome_unknown',
    'Only a part of this refund was found at the store. Look at the order there.',
  );
