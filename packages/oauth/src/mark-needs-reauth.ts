import { LEASE_SECONDS, nextCall, ok } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import type { Ids, Transactions } from '@switchboard/domain/ports';

/** Why an account must be reconnected: a fixed code, shown in `statusReason` and in the event. */
type ReauthReason = 'grant_ended' | 'token_refused' | 'refresh_lost';

const reasonMessages: Readonly<Record<ReauthReason, string>> = {
  grant_ended: 'The platform ended the grant: it expired or the account owner revoked it.',
  token_refused: 'The platform no longer accepts the access token.',
  refresh_lost: 'A token refresh was interrupted, and the platform no longer accepts the previous token.',
};

/** The maximum number of waiting posts that the event lists. */
const POSTS_MAX = 20;

interface CredentialRejection {
  /** The generation of the rejected credential. */
  readonly generation: number;
  readonly reason: ReauthReason;
  readonly requestId: string;
  /** The fence of the renewal lease, where the caller claimed it. */
  readonly fence?: number | undefined;
}

/**
 * Marks a connection `needs_reauth` with its event and audit row, once, and only while the rejected
 * credential is still the stored one and no other process is renewing it.
 */
export async function markNeedsReauth(
  { transactions, ids }: { readonly transactions: Transactions; readonly ids: Ids },
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  { generation, reason, requestId, fence: heldFence }: CredentialRejection,
): Promise<void> {
  await transactions.run(async (tx) => {
    const current = await tx.connections.lock(workspaceId, id);
    let fence = heldFence;
    if (fence === undefined) {
      const attempt = ids.next('att');
      const claimRequest = {
        connectionId: id,
        generation,
        attempt,
        leaseSeconds: LEASE_SECONDS,
        isTokenRejected: true,
      };
      const claim = await tx.credentials.claim(claimRequest);
      if (claim.kind === 'busy') return ok();
      if (claim.kind === 'claimed') fence = claim.fence;
    } else if (!(await tx.credentials.extendLease(id, fence, LEASE_SECONDS))) {
      return ok();
    }
    const stored = await tx.credentials.find(workspaceId, id);
    if (stored?.generation === generation && current && current.status !== 'needs_reauth') {
      await tx.connections.update(workspaceId, id, {
        status: 'needs_reauth',
        statusReason: reasonMessages[reason],
      });
      const affected = await tx.deliveries.listUnsentOf(workspaceId, id, POSTS_MAX);
      await tx.events.append({
        workspaceId,
        type: 'connection.needs_reauth',
        profileId: current.profileId,
        data: {
          connection_id: id,
          platform: current.platform,
          account: current.account.username ?? current.account.name ?? current.account.id,
          reason,
          affected_posts: { count: affected.count, ids: [...affected.ids] },
          next: nextCall.startConnect({ connection_id: id }),
        },
      });
      await tx.audit.append({
        workspaceId,
        actor: 'system:sessions',
        action: 'connection.needs_reauth',
        object: id,
        outcome: 'ok',
        requestId,
        details: { platform: current.platform, reason },
      });
    }
    if (fence !== undefined)
      await tx.credentials.release(id, fence, { backoffSeconds: null, isOutcomeUnknown: false });
    return ok();
  });
}
