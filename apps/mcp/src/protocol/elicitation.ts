import { failure } from '@switchboard/domain';
import {
  createErrorResponse,
  type Confirmation,
  type Operation,
  type OperationResponse,
} from '@switchboard/operations';
import type { CallContext, Decision } from './mcp-handlers.js';

type Elicit = NonNullable<CallContext['elicit']>;

/**
 * Prompts the person when a response requires a confirmation, and continues with their decision. All checks
 * ran before the prompt and run again after it: nothing is locked during the prompt, so anything may change.
 */
export async function confirmCall(
  { confirm }: Pick<Operation, 'confirm'>,
  response: OperationResponse,
  { elicit, requestId }: { readonly elicit: Elicit; readonly requestId: string },
  proceed: () => Promise<OperationResponse>,
): Promise<OperationResponse> {
  if (!confirm || response.failure?.code !== confirm.code) return response;
  // A client that fails to prompt, or times out, has not approved.
  const decision = await elicit(confirm.question(response.failure.details)).catch(() => 'cancelled' as const);
  return decision === 'accepted' ? proceed() : refuseUnconfirmed(confirm, response, decision, requestId);
}

/** The response of a call that was not confirmed, with the reason for the agent. */
export function refuseUnconfirmed(
  { code, refusal }: Confirmation,
  { failure: unconfirmed, scopes, allowance }: OperationResponse,
  decision: Exclude<Decision, 'accepted'>,
  requestId: string,
): OperationResponse {
  const refused = failure(code, refusal(decision, unconfirmed?.details ?? {}), {
    whoCanFix: 'account_owner',
  });
  return { ...createErrorResponse(refused, requestId), scopes, allowance };
}
