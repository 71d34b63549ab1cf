import { ok, type Connection, type Transactions } from '@switchboard/domain';

/** Why an account must be connected again: a fixed word, for people's eyes in `statusReason` and in the event. */
export type LapseReason = 'grant_ended' | 'token_refused';

const sentences: Readonly<Record<LapseReason, string>> = {
  grant_ended: 'The platform has ended the login: it expired or the account’s owner took it back.',
  token_refused: 'The platform does not accept the login any more.',
};

const LEASE_SECONDS = 30;

/**
 * Marks a connection `needs_reauth` with its event and audit row, once, and only while the credential that was refused is
 * still the stored one. Whoever marks holds the lease, so that two processes cannot both tell.
 */
export async function lapse(
  transactions: Transactions,
  connection: Pick<Connection, 'id' | 'workspaceId'>,
  generation: number,
  reason: LapseReason,
  requestId: string,
  held?: number,
): Promise<void> {
  const { id, workspaceId } = connection;
  await transactions.run(async (tx) => {
    const fence = held ?? (await tx.credentials.claim(id, generation, LEASE_SECONDS));
    if (fence === null) return ok();
    const stored = await tx.credentials.find(workspaceId, id);
    const current = await tx.connections.find(workspaceId, id);
    if (stored?.generation === generation && current && current.status !== 'needs_reauth') {
      await tx.connections.update(workspaceId, id, {
        status: 'needs_reauth',
        statusReason: sentences[reason],
      });
      await tx.events.append({
        workspaceId,
        type: 'connection.needs_reauth',
        profileId: current.profileId,
        data: {
          connection_id: id,
          platform: current.platform,
          account: current.account.username ?? current.account.name ?? current.account.id,
          reason,
          next: { operation: 'startConnect', arguments: { connection_id: id } },
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
    await tx.credentials.release(id, fence);
    return ok();
  });
}
