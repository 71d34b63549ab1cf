import { failure } from '@switchboard/domain';
import { createErrorResponse, type Operation, type OperationResponse } from '@switchboard/operations';
import type { CallContext } from './mcp-handlers.js';

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
  const { details } = response.failure;
  // A client that fails to prompt, or times out, has not approved.
  const decision = await elicit(confirm.question(details)).catch(() => 'cancelled' as const);
  if (decision === 'accepted') return proceed();
  const { scopes, allowance } = response;
  const refusal = failure(confirm.code, confirm.refusal(decision, details), { whoCanFix: 'account_owner' });
  return { ...createErrorResponse(refusal, requestId), scopes, allowance };
}
