import type { Call } from '../call.js';
import type { Result } from '../result.js';
import type { Approval } from './approval.js';
import { decideApproval, type DecideFailure, type DecisionPorts } from './decide-approval.js';

export interface ApproveApproval {
  readonly id: string;
  readonly note?: string | undefined;
}

/** Releases what waits for this decision. */
export const approveApproval = (
  ports: DecisionPorts,
  call: Call,
  { id, note = '' }: ApproveApproval,
): Promise<Result<Approval, DecideFailure>> =>
  decideApproval(ports, call, id, { status: 'approved', note: note.trim() === '' ? null : note });
