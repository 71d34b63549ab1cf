import { WORKER } from '../call.js';
import type { FailureCode } from '../failure.js';
import type { Manifest, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { Connection } from './connection.js';
import { permissionsOf } from './permissions-of.js';
import { updateConnectionHealth } from './update-connection-health.js';

/**
 * Learns from the outcome of an ability what the account may do: a permission refusal makes the connection
 * `degraded` with the permissions that the ability requires (its own name where it requires none), and a
 * success clears them. The platform does not say which of several is missing.
 */
export async function learnPermissions(
  ports: Pick<Ports, 'transactions' | 'ids' | 'clock'>,
  manifest: Manifest,
  { id, workspaceId, connectMethod, refusedPermissions: known }: Connection,
  ability: keyof Manifest['permissions'],
  outcome: FailureCode | 'ok',
): Promise<void> {
  const required = permissionsOf(manifest, connectMethod)[ability] ?? [];
  const needed = required.length > 0 ? required : [ability];
  const isChanged =
    outcome === 'ok'
      ? needed.some((permission) => known.includes(permission))
      : outcome === 'platform.permission_missing' && needed.some((permission) => !known.includes(permission));
  if (!isChanged) return;
  await ports.transactions.run(async (tx) => {
    const connection = await tx.connections.lock(workspaceId, id);
    if (!connection || connection.status === 'needs_reauth') return ok();
    const others = connection.refusedPermissions.filter((permission) => !needed.includes(permission));
    const changes = { refusedPermissions: outcome === 'ok' ? others : [...others, ...needed] };
    const by = { actor: WORKER, requestId: ports.ids.next('req') };
    await updateConnectionHealth(ports, tx, { connection, manifest, changes }, by);
    return ok();
  });
}
