import { failure } from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from '@switchboard/operations';
import type { CallContext, ElicitationRequest } from './mcp-handlers.js';

type Elicit = NonNullable<CallContext['elicit']>;

/** What is known of a refund that waits for a yes, as its failure tells it: numbers and sentences of ours only. */
interface RefundToConfirm {
  readonly orderId: string;
  readonly orderNumber: string | null;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly expiresAt: Date;
  readonly consequences: readonly string[];
}

/**
 * Asks the person where an answer says that one has to agree first, and goes on with what they say. Everything was checked
 * before they are bothered and is checked again after it: while they think, nothing is held and anything may change.
 */
export async function confirmRefund(
  response: OperationResponse,
  { elicit, requestId }: { readonly elicit: Elicit; readonly requestId: string },
  proceed: () => Promise<OperationResponse>,
): Promise<OperationResponse> {
  if (response.failure?.code !== 'refund.not_confirmed') return response;
  const refund = response.failure.details as unknown as RefundToConfirm;
  // A client that fails to ask, or lets too much time pass, has not said yes.
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
      'An agent asks for this. Say no unless you want it.',
    ].join('\n'),
    label: `Yes, refund ${sum}`,
  };
}

const refusalSentences: Readonly<Record<'declined' | 'cancelled', (until: Date) => string>> = {
  declined: () =>
    'The person who was asked said no. Nothing was refunded. Do not ask for it again unless they tell you to.',
  cancelled: (until) =>
    `The person could not be asked, or did not answer. Nothing was refunded, and the quote stays good until ${until.toISOString()}. Talk to them before you call refund_order again.`,
};
