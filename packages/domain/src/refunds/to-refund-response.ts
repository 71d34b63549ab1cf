import { failures, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { formatOrderId } from '../orders/order-id.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import type { SessionFailureCode } from '../ports/authorizers.js';
import type { PlatformFailureCode } from '../ports/session.js';
import { ok, type Result } from '../result.js';
import type { Refund } from './refund.js';

export type RefundResponseFailure =
  | PlatformFailureCode
  | SessionFailureCode
  | 'connection.not_found'
  | 'order.not_found'
  | 'refund.exceeds_refundable'
  | 'refund.refused';

/**
 * The response for a refund request. A failed refund is a refusal, with the store's message where it rejected
 * it, and the effect `none`; a replay with the same key returns the store's rejection again.
 */
export function toRefundResponse(
  refund: Refund,
  replayed: boolean,
): Result<Refund & { readonly replayed: boolean }, RefundResponseFailure> {
  const { status, error, connectionId, orderExternalId: externalId } = refund;
  const response = { ...refund, replayed };
  if (status !== 'failed' || error === null) return ok(response);
  const { code, message, platform, details, retryAfterSeconds } = error;
  const extras = {
    platform,
    effect: 'none',
    retryAfterSeconds,
    replayed,
    details: { ...details, id: refund.id },
  } as const;
  if (code === 'platform.refused')
    return refuse('refund.refused', 'The store rejected the refund. No money moved.', {
      ...extras,
      next: nextCall.getOrder(formatOrderId({ connectionId, externalId })),
    });
  return isReportableCode(code)
    ? withReconnectStep({ id: connectionId }, refuse(code, message, extras))
    : ok(response);
}

const isReportableCode = (code: string): code is RefundResponseFailure =>
  code in failures &&
  (code === 'refund.refused' ||
    code === 'refund.exceeds_refundable' ||
    /^(platform|vault|connection|order)\./.test(code));
