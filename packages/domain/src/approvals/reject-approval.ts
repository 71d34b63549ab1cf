import type { Call } from '../call.js';
import type { Result } from '../result.js';
import type { Approval } from './approval.js';
import { decideApproval, type DecideFailure, type DecisionPorts } from './decide-approval.js';

export interface RejectApproval {
  readonly id: string;
  /** The reason, for the requester. */
  readonly note: string;
}

/** Ends what waits for this decision: a post fails, and a refund fails and frees its reservation. */
export const rejectApproval = (
  ports: DecisionPorts,
  call: Call,
  { id, note }: RejectApproval,
): Promise<Result<Approval, DecideFailure>> => decideApproval(ports, call, id, { status: 'rejected', note });
