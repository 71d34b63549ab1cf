import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Approval } from './approval.js';
import { hasFinalMedia, mediaNotReady } from './approve-approval.js';
import { decideApproval, type ApprovalDecision, type DecideFailure } from './decide-approval.js';
import { approvalDigest, findApprovedContent } from './open-decision.js';

interface PageDecision extends ApprovalDecision {
  /** `Decision.digest` of the page that the person saw. */
  readonly digest: string;
}

/**
 * Decides about an approval whose link was opened. The link is the permission, and it is used once: a second decision
 * is refused, also the same one. So is a decision about other content than the page showed.
 */
export const decideOnPage = (
  ports: Pick<Ports, 'clock' | 'ids' | 'manifests' | 'tokens' | 'transactions'>,
  call: Call,
  { id }: Pick<Approval, 'id'>,
  { digest, status, note }: PageDecision,
): Promise<Result<Approval, DecideFailure | 'approval.media_not_ready' | 'request.precondition_failed'>> =>
  ports.transactions.run(async (tx) => {
    const { clock, ids, manifests, tokens } = ports;
    const all = { ...tx, clock, ids, manifests, tokens };
    let isFirst = false;
    const decided = await decideApproval(all, call, id, { status, note }, async (approval) => {
      isFirst = true;
      const isShown = approvalDigest(tokens, approval) === digest;
      if (!isShown || !(await findApprovedContent(all, approval)))
        return refuse('request.precondition_failed', 'The content has changed since the page was shown.');
      return status === 'rejected' || (await hasFinalMedia(all, approval)) ? ok() : mediaNotReady();
    });
    return !decided.ok || isFirst ? decided : refuse('approval.decided', 'This link was used already.');
  });
