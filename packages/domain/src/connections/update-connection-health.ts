import type { ConnectionChanges, Manifest, Tools, Tx } from '../ports/index.js';
import { nextCall } from '../next-call.js';
import type { EventBody } from '../events/event-data.js';
import type { Connection } from './connection.js';
import { releaseBlocked } from './release-blocked.js';
import { missingPermissions, assessConnectionHealth } from './connection-health.js';

export interface AuditContext {
  readonly actor: string;
  readonly requestId: string;
}

interface HealthUpdate {
  readonly connection: Connection;
  readonly manifest: Manifest | null;
  readonly changes?: Pick<ConnectionChanges, 'grantedPermissions' | 'refusedPermissions' | 'appMissing'>;
}

/**
 * Stores the health of a working connection after `changes`, and emits events for what is new: an upcoming
 * expiry or a missing permission, each warning once, or recovery. Call it with the connection locked. Returns
 * the updated connection.
 */
export async function updateConnectionHealth(
  tools: Pick<Tools, 'ids' | 'clock'>,
  tx: Pick<Tx, 'connections' | 'events' | 'audit' | 'deliveries' | 'jobs'>,
  { connection: before, manifest, changes = {} }: HealthUpdate,
  { actor, requestId }: AuditContext,
): Promise<Connection> {
  const { id, workspaceId, platform } = before;
  const after = {
    expiresAt: before.expiresAt,
    grantedPermissions: changes.grantedPermissions ?? before.grantedPermissions,
    refusedPermissions: changes.refusedPermissions ?? before.refusedPermissions,
    appMissing: changes.appMissing ?? before.appMissing,
  };
  const { status, statusReason, warningDays, missing } = assessConnectionHealth(
    { ...after, connectMethod: before.connectMethod },
    manifest,
    tools.clock.now(),
  );
  const previouslyMissing = missingPermissions(manifest, before);
  const isWarned = warningDays === null || (before.warnedDays !== null && before.warnedDays <= warningDays);
  const hasNewlyMissing =
    missing.length > 0 &&
    (before.status !== 'degraded' || missing.some((permission) => !previouslyMissing.includes(permission)));
  const losesApp = after.appMissing && !before.appMissing;
  const isUnchanged =
    status === before.status && statusReason === before.statusReason && warningDays === before.warnedDays;
  if (isUnchanged && isWarned && !hasNewlyMissing && Object.keys(changes).length === 0) return before;
  const health = { ...after, status, statusReason, warnedDays: warningDays };
  const now = (await tx.connections.update(workspaceId, id, health)) ?? before;

  const subject = {
    connection_id: id,
    platform,
    account: before.account.username ?? before.account.name ?? before.account.id,
  };
  const isRestored = status === 'active' && before.status === 'degraded';
  if (before.status === 'needs_reauth') await releaseBlocked(tools, tx, before, actor);
  if (before.status === 'needs_reauth' || isRestored)
    await recordEvent({ type: 'connection.restored', data: { ...subject, reconnected: false } });
  if (status === 'degraded' && (!isWarned || hasNewlyMissing || losesApp)) {
    const reason = losesApp ? 'app_missing' : isWarned ? 'permission_missing' : 'ends_soon';
    const data = {
      ...subject,
      reason,
      expires_at: after.expiresAt?.toISOString() ?? null,
      days_left: warningDays,
      missing_permissions: [...missing],
      next: nextCall.startConnect({ connection_id: id }),
    } as const;
    await recordEvent({ type: 'connection.degraded', data }, { reason, missing: [...missing] });
  }
  return now;

  async function recordEvent(
    event: EventBody<'connection.degraded' | 'connection.restored'>,
    details: { readonly reason?: string; readonly missing?: readonly string[] } = {},
  ): Promise<void> {
    await tx.events.append({ ...event, workspaceId, profileId: before.profileId });
    await tx.audit.append({
      workspaceId,
      actor,
      action: event.type,
      object: id,
      outcome: 'ok',
      requestId,
      details: { platform, ...details },
    });
  }
}
