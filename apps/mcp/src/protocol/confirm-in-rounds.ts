import type { Result } from '@switchboard/domain';
import {
  createErrorResponse,
  type Operation,
  type OperationResponse,
  type Question,
} from '@switchboard/operations';
import type { ConfirmationStates } from './confirmation-state.js';
import { refuseUnconfirmed } from './elicitation.js';
import type { ConfirmationRound } from './mcp-handlers.js';
import { ProtocolError } from './protocol-error.js';

/** The question for the person, and the state that the client returns with the response. */
export interface ConfirmationRequest {
  readonly question: Question;
  readonly state: string;
}

interface RoundContext {
  readonly requestId: string;
  readonly round: ConfirmationRound;
  readonly openStates: () => Promise<Result<ConfirmationStates>>;
  /** Sends the call; undefined: the client cannot ask a person. */
  readonly send: (isConfirmed: boolean | undefined) => Promise<OperationResponse>;
}

/**
 * Confirms a call in two requests: the first returns the question; the second, with the response of the
 * person and the state of the first, takes effect. Nothing is stored in between, and all checks run in both.
 * A consent without a valid state is none; a refusal counts without one.
 */
export async function confirmInRounds(
  { confirm }: Pick<Operation, 'confirm'>,
  { requestId, round: { canAsk, state, decision }, openStates, send }: RoundContext,
): Promise<OperationResponse | ConfirmationRequest> {
  if (!confirm) {
    if (state !== undefined) throw invalidState();
    return send(undefined);
  }
  if (!canAsk && state === undefined && decision === null) return send(undefined);
  if (state !== undefined) {
    const states = await openStates();
    if (!states.ok) return createErrorResponse(states.failure, requestId);
    if (!states.value.isValid(state)) throw invalidState();
    if (decision === 'accepted') return send(true);
  }
  const response = await send(false);
  if (response.failure?.code !== confirm.code) return response;
  const refusal = decision === 'accepted' ? null : decision;
  if (refusal !== null || !canAsk) {
    return refuseUnconfirmed(confirm, response, refusal ?? 'cancelled', requestId);
  }
  const states = await openStates();
  if (!states.ok) return createErrorResponse(states.failure, requestId);
  return { question: confirm.question(response.failure.details), state: states.value.seal() };
}

const invalidState = () =>
  new ProtocolError(
    'invalid_params',
    'The requestState is invalid or has expired. Call the tool again, without requestState and inputResponses.',
  );
