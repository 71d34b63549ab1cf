import type { Failure, FailureCode } from '../failure.js';
import { formatAmount, type Money } from '../money.js';
import { nextCall, type NextCall } from '../next-call.js';
import { refuseWith, type Result } from '../result.js';

interface RefundRequestContext {
  readonly orderId: string;
  readonly platform: string;
  /** Whether an amount was requested, which can be reduced. */
  readonly byAmount: boolean;
}

/** Adds to a rejected plan the call that shows possible alternatives. None of them moves money. */
export function withNextStep<Value, Code extends FailureCode>(
  result: Result<Value, Code>,
  request: RefundRequestContext,
): Result<Value, Code> {
  if (result.ok || result.failure.next) return result;
  const next = nextStep(result.failure, request);
  return next ? refuseWith<Code>({ ...result.failure, next }) : result;
}

function nextStep(
  { code, details }: Failure,
  { orderId, platform, byAmount }: RefundRequestContext,
): NextCall | undefined {
  switch (code) {
    case 'refund.unsupported_option':
      return nextCall.getPlatform(platform);
    case 'refund.exceeds_refundable': {
      const refundable = details?.['refundable'] as { readonly amount: string } | undefined;
      const amount = refundable?.amount ?? '0';
      return byAmount && Number(amount) > 0
        ? nextCall.quoteRefund(orderId, { amount })
        : nextCall.getOrder(orderId);
    }
    case 'request.invalid':
    case 'refund.currency_mismatch':
    case 'refund.extent_conflict':
    case 'refund.extent_required':
    case 'refund.offline_only':
    case 'refund.refundable_changed':
      return nextCall.getOrder(orderId);
    default:
      return undefined;
  }
}

/** A quote of the remainder; the order where nothing is left. */
export const quoteUpTo = (orderId: string, left: Money): NextCall =>
  left.amountMinor > 0
    ? nextCall.quoteRefund(orderId, { amount: formatAmount(left) })
    : nextCall.getOrder(orderId);
