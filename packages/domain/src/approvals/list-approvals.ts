import { reachOf, type Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import { getPost } from '../posts/get-post.js';
import { findReachableRefund } from '../refunds/find-reachable-refund.js';
import { ok, type Result } from '../result.js';
import type { Approval, ApprovalKind, ApprovalStatus } from './approval.js';

export interface ListApprovals extends PageCommand {
  readonly status?: readonly ApprovalStatus[] | undefined;
  readonly kind?: readonly ApprovalKind[] | undefined;
  readonly postId?: string | undefined;
  readonly refundId?: string | undefined;
}

/** The approvals of the profiles that the key reaches, newest first. */
export async function listApprovals(
  ports: Pick<ReadPorts, 'approvals' | 'connections' | 'cursors' | 'posts' | 'refunds'>,
  call: Call,
  { status, kind, postId, refundId, ...page }: ListApprovals,
): Promise<Result<Page<Approval>, 'post.not_found' | 'refund.not_found' | 'request.invalid_cursor'>> {
  const post = postId === undefined ? ok(null) : await getPost(ports, call, { id: postId });
  if (!post.ok) return post;
  const refund = refundId === undefined ? ok(null) : await findReachableRefund(ports, call, refundId);
  if (!refund.ok) return refund;
  const filter = {
    reach: reachOf(call),
    statuses: status,
    kinds: kind,
    postId: post.value?.id,
    refundId: refund.value?.refund.id,
  };
  return readPage(ports, call, 'approvals', filter, page, (rows) =>
    ports.approvals.list(call.workspaceId, filter, rows),
  );
}
