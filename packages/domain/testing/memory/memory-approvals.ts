import { toApprovalState, type Approval, type ApprovalState } from '../../src/approvals/approval.js';
import type { PostId, RefundId } from '../../src/ids.js';
import type { Approvals, Clock } from '../../src/ports/index.js';
import type { MemoryState, StoredApproval } from './memory-state.js';
import { assertUnique, findOwned, ofWorkspace, oldestFirst, pageOf } from './rows.js';

const subjectOf = ({ postId, refundId }: StoredApproval) => postId ?? refundId;

/** The latest approval of a post or refund, as its representation shows it. */
export function approvalStateOf(state: MemoryState, id: PostId | RefundId): ApprovalState | null {
  const latest = oldestFirst([...state.approvals.values()]).findLast((row) => subjectOf(row) === id);
  return latest ? toApprovalState({ ...latest, profileId: null }) : null;
}

export function memoryApprovals(state: MemoryState, clock: Clock): Approvals {
  const profileOf = ({ postId, refundId }: StoredApproval) => {
    if (postId) return state.posts.get(postId)?.profileId ?? null;
    const connectionId = refundId && state.refunds.get(refundId)?.connectionId;
    return (connectionId && state.connections.get(connectionId)?.profileId) ?? null;
  };
  const whole = (row: StoredApproval): Approval => ({ ...row, profileId: profileOf(row) });
  const newestFirst = (rows: readonly StoredApproval[]) => oldestFirst(rows).reverse().map(whole);
  const find: Approvals['find'] = async (workspaceId, id) => {
    const row = findOwned(state.approvals, workspaceId, id);
    return row && whole(row);
  };
  return {
    find,
    // Transactions are serialized here.
    lock: find,
    listByIds: async (workspaceId, ids) =>
      ofWorkspace(state.approvals, workspaceId)
        .filter(({ id }) => ids.includes(id))
        .map(whole),
    list: async (workspaceId, { reach, kinds, statuses, postId, refundId }, page) =>
      pageOf(
        newestFirst(ofWorkspace(state.approvals, workspaceId)).filter(
          (approval) =>
            (reach === null || (approval.profileId !== null && reach.includes(approval.profileId))) &&
            (kinds?.includes(approval.kind) ?? true) &&
            (statuses?.includes(approval.status) ?? true) &&
            (postId ?? approval.postId) === approval.postId &&
            (refundId ?? approval.refundId) === approval.refundId,
        ),
        page,
      ),
    listOf: async (subjects) =>
      newestFirst(
        [...state.approvals.values()].filter((row) => {
          const subject = subjectOf(row);
          return subject !== null && subjects.includes(subject);
        }),
      ),
    listPendingOf: async (workspaceId, connectionId) =>
      ofWorkspace(state.approvals, workspaceId)
        .filter(({ status, postId }) => {
          const deliveries = [...state.deliveries.values()].filter((row) => row.postId === postId);
          return status === 'pending' && deliveries.some((row) => row.connectionId === connectionId);
        })
        .map(whole),
    listExpired: async (limit) =>
      oldestFirst([...state.approvals.values()])
        .filter(({ status, expiresAt }) => status === 'pending' && expiresAt <= clock.now())
        .slice(0, limit)
        .map(({ id, workspaceId }) => ({ id, workspaceId })),
    async countPending() {
      const pending = [...state.approvals.values()].filter(({ status }) => status === 'pending');
      return [...Map.groupBy(pending, ({ kind }) => kind)].map(([kind, rows]) => ({
        kind,
        count: rows.length,
      }));
    },
    insert: async ({ profileId: _, ...row }) => {
      const others = [...state.approvals.values()].filter(
        (other) => other.status === 'pending' && subjectOf(other) === subjectOf(row),
      );
      assertUnique(
        row.status !== 'pending' || others.length === 0,
        `a pending approval of ${subjectOf(row)}`,
      );
      state.approvals.set(row.id, row);
    },
    settle: async (workspaceId, id, outcome) => {
      const row = findOwned(state.approvals, workspaceId, id);
      if (row?.status !== 'pending') return false;
      state.approvals.set(id, { ...row, ...outcome });
      return true;
    },
  };
}
