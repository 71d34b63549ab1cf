import { failure } from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from '@switchboard/operations';
import type { CallContext, ElicitationRequest } from './mcp-handlers.js';

type Elicit = NonNullable<CallContext['elicit']>;

/** The refund to confirm, as reported by its failure: contains only our own numbers and sentences. */
interface RefundToConfirm {
  readonly orderId: string;
  readonly orderNumber: string | null;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly expiresAt: Date;
  readonly consequences: readonly string[];
}

/**
 * Prompts the person when a response requires a confirmation, and continues with their decision. All checks
 * ran before the prompt and run again after it: nothing is locked during the prompt, so anything may change.
 */
export async function confirmRefund(
  response: OperationResponse,
  { elicit, requestId }: { readonly elicit: Elicit; readonly requestId: string },
  proceed: () => Promise<OperationResponse>,
): Promise<OperationResponse> {
  if (response.failure?.code !== 'refund.not_confirmed') return response;
  const refund = response.failure.details as unknown as RefundToConfirm;
  // A client that fails to prompt, or times out, has not approved.
  const decision = await elicit(createElicitation(refund)).catch(() => 'cancelled' as const);
  if (decision === 'accepted') return proceed();
  const { scopes, allowance } = response;
  const notConfirmed = failure('refund.not_confirmed', refusalSentences[decision](refund.expiresAt), {
    whoCanFix: 'account_owner',
  });
  return { ...createErrorResponse(notConfirmed, requestId), scopes, allowance };
}

export function createElicitation({
  orderId,
  orderNumber,
  amount,
  consequences,
}: RefundToConfirm): ElicitationRequest {
  const sum = `${amount.amount} ${amount.currency}`;
  return {
    message: [
      `Refund ${sum} of order ${orderNumber ?? orderId}?`,
      ...consequences,
      'An agent requests this refund. Decline it unless you want it.',
    ].join('\n'),
    label: `Yes, refund ${sum}`,
  };
}

const refusalSentences: Readonly<Record<'declined' | 'cancelled', (until: Date) => string>> = {
  declined: () =>
    'The person declined. Nothing was refunded. Do not request it again unless they tell you to.',
  cancelled: (until) =>
    `The person could not be asked or did not respond. Nothing was refunded; the quote stays valid until ${until.toISOString()}. Talk to them before you call refund_order again.`,
};
