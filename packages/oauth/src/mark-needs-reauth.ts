import { nextCall, ok, type Connection, type Ids, type Transactions } from '@switchboard/domain';

/** Why an account must be connected again: a fixed word, for people's eyes in `statusReason` and in the event. */
export type ReauthReason = 'grant_ended' | 'token_refused' | 'refresh_lost';

const reasonMessages: Readonly<Record<ReauthReason, string>> = {
  grant_ended: 'The platform has ended the login: it expired or the account’s owner took it back.',
  token_refused: 'The platform does not accept the login any more.',
  refresh_lost: 'A renewal of the login was cut off, and the platform does not accept the one from before.',
};

const LEASE_SECONDS = 30;
/** How many of the posts that wait for it the event names. */
const POSTS_MAX = 20;

export interface CredentialRejection {
  /** The one that was refused. */
  readonly generation: number;
  readonly reason: ReauthReason;
  readonly requestId: string;
  /** Of whoever was renewing it. */
  readonly fence?: number | undefined;
}

/**
 * Marks a connection `needs_reauth` with its event and audit row, once, and only while the credential that was refused is
 * still the stored one and nobody is about to renew it.
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
      const claimRequest = { connectionId: id, generation, attempt, leaseSeconds: LEASE_SECONDS, isTokenRejected: true };
      const claim = await tx.credentials.claim(claimRequest);
      if (claim.kind === 'held') return ok();
      if (claim.kind === 'claimed') fence = claim.fence;
    }
    const stored = await tx.credentials.find(workspaceId, id);
    if (stored?.generation === generation && current && current.status !== 'needs_reauth') {
      await tx.connections.update(workspaceId, id, {
        status: 'needs_reauth',
        statusReason: reasonMessages[reason],
      });
      const affected = await tx.posts.listUnsentOf(workspaceId, id, POSTS_MAX);
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
    if (fence !== undefined) await tx.credentials.release(id, fence, { backoffSeconds: null, isOutcomeUnknown: false });
    return ok();
  });
}
