import { WORKER } from '../call.js';
import type { FailureCode } from '../failure.js';
import type { Manifest, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { Connection } from './connection.js';
import { permissionsOf } from './permissions-of.js';
import { updateConnectionHealth } from './update-connection-health.js';

/**
 * The ability that may succeed while this one is refused: its success would clear permissions that both
 * require. Orders are read for every refund.
 */
const independentOf: Readonly<Partial<Record<Ability, Ability>>> = {
  publishing: 'analytics',
  analytics: 'publishing',
  refunds: 'orders',
};

type Ability = keyof Manifest['permissions'];

export type LearnPorts = Pick<Ports, 'transactions' | 'ids' | 'clock'>;

/**
 * Learns from the outcome of an ability what the account may do: a permission refusal makes the connection
 * `degraded` with the permissions that the ability requires, and a success clears them. The platform does not
 * say which of several is missing. An ability without permissions of its own is recorded by its name.
 */
export async function learnPermissions(
  ports: LearnPorts,
  manifest: Manifest,
  { id, workspaceId, connectMethod, refusedPermissions: known }: Connection,
  ability: Ability,
  outcome: FailureCode | 'ok',
): Promise<void> {
  const permissions = permissionsOf(manifest, connectMethod);
  const required = permissions[ability] ?? [];
  // Metrics for which no permission is named are refused to a kind of account or app: reconnecting does not help.
  if (ability === 'analytics' && required.length === 0) return;
  const other = independentOf[ability];
  const shared = (other && permissions[other]) ?? [];
  const hasOwn = required.some((permission) => !shared.includes(permission));
  const refused = hasOwn ? required : [ability];
  const proven: readonly string[] = [...required, ability];
  const isChanged =
    outcome === 'ok'
      ? proven.some((permission) => known.includes(permission))
      : outcome === 'platform.permission_missing' && refused.some((one) => !known.includes(one));
  if (!isChanged) return;
  await ports.transactions.run(async (tx) => {
    const connection = await tx.connections.lock(workspaceId, id);
    if (!connection || connection.status === 'needs_reauth') return ok();
    const before = connection.refusedPermissions;
    const refusedPermissions =
      outcome === 'ok'
        ? before.filter((permission) => !proven.includes(permission))
        : [...new Set([...before, ...refused])];
    const changes = { refusedPermissions };
    const by = { actor: WORKER, requestId: ports.ids.next('req') };
    await updateConnectionHealth(ports, tx, { connection, manifest, changes }, by);
    return ok();
  });
}
