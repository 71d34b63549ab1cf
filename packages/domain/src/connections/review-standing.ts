import type { ConnectionChanges, Manifest, Tools, Tx } from '../ports/index.js';
import { nextCall } from '../next-call.js';
import type { Connection } from './connection.js';
import { releaseBlocked } from './release-blocked.js';
import { missingPermissions, standingOf } from './standing.js';

export interface Reviewer {
  readonly actor: string;
  readonly requestId: string;
}

export interface Reviewed {
  readonly connection: Connection;
  readonly manifest: Manifest | null;
  readonly changes?: Pick<ConnectionChanges, 'grantedPermissions' | 'appMissing'>;
}

/**
 * Writes how a connection that works stands after `changes`, and tells of it what is new: that it will stop or lacks
 * something, each warning once, or that it is well again. Call it with the connection locked. Answers it as it stands then.
 */
export async function reviewStanding(
  tools: Pick<Tools, 'ids' | 'clock'>,
  tx: Pick<Tx, 'connections' | 'events' | 'audit' | 'posts' | 'jobs'>,
  { connection: before, manifest, changes = {} }: Reviewed,
  { actor, requestId }: Reviewer,
): Promise<Connection> {
  const { id, workspaceId, platform } = before;
  const after = {
    expiresAt: before.expiresAt,
    grantedPermissions: changes.grantedPermissions ?? before.grantedPermissions,
    appMissing: changes.appMissing ?? before.appMissing,
  };
  const { status, statusReason, warningDays, missing } = standingOf(
    { ...after, way: before.way },
    manifest,
    tools.clock.now(),
  );
  const lackedBefore = missingPermissions(manifest, before);
  const isWarned = warningDays === null || (before.warnedDays !== null && before.warnedDays <= warningDays);
  const lacksMore =
    missing.length > 0 &&
    (before.status !== 'degraded' || missing.some((permission) => !lackedBefore.includes(permission)));
  const losesApp = after.appMissing && !before.appMissing;
  const same =
    status === before.status && statusReason === before.statusReason && warningDays === before.warnedDays;
  if (same && isWarned && !lacksMore && Object.keys(changes).length === 0) return before;
  const standing = { ...after, status, statusReason, warnedDays: warningDays };
  const now = (await tx.connections.update(workspaceId, id, standing)) ?? before;

  const named = {
    connection_id: id,
    platform,
    account: before.account.username ?? before.account.name ?? before.account.id,
  };
  const type =
    status === 'degraded' && (!isWarned || lacksMore || losesApp)
      ? 'connection.degraded'
      : status === 'active' && before.status === 'degraded'
        ? 'connection.restored'
        : null;
  if (before.status === 'needs_reauth') {
    await releaseBlocked(tools, tx, before, actor);
    await tell('connection.restored', { ...named, reconnected: false });
  }
  if (type === 'connection.restored') await tell(type, { ...named, reconnected: false });
  if (type === 'connection.degraded') {
    await tell(type, {
      ...named,
      reason: losesApp ? 'app_missing' : isWarned ? 'permission_missing' : 'ends_soon',
      expires_at: after.expiresAt?.toISOString() ?? null,
      days_left: warningDays,
      missing_permissions: [...missing],
      next: nextCall.startConnect({ connection_id: id }),
    });
  }
  return now;

  async function tell(
    event: 'connection.degraded' | 'connection.restored',
    data: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await tx.events.append({ workspaceId, type: event, profileId: before.profileId, data });
    await tx.audit.append({
      workspaceId,
      actor,
      action: event,
      object: id,
      outcome: 'ok',
      requestId,
      details: { platform, ...('reason' in data && { reason: data['reason'], missing: [...missing] }) },
    });
  }
}
