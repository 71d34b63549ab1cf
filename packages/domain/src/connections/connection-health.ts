import type { Manifest } from '../ports/manifest.js';
import type { Connection } from './connection.js';
import { permissionsOf } from './permissions-of.js';

/** How many days before the expiry of a non-renewable login its owner is warned. */
export const WARNING_DAYS = [14, 3, 1] as const;

const DAY_MS = 86_400_000;

/** The health of a working connection. */
interface ConnectionHealth {
  readonly status: 'active' | 'degraded';
  readonly statusReason: string | null;
  /** The most recent warning that is due; null before the first one, and when nothing expires. */
  readonly warningDays: number | null;
  readonly missing: readonly string[];
}

export function assessConnectionHealth(
  {
    expiresAt,
    appMissing,
    ...granted
  }: Pick<
    Connection,
    'expiresAt' | 'grantedPermissions' | 'refusedPermissions' | 'appMissing' | 'connectMethod'
  >,
  manifest: Manifest | null,
  now: Date,
): ConnectionHealth {
  const missing = missingPermissions(manifest, granted);
  const remainingMs = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
  const warningDays = WARNING_DAYS.findLast((days) => remainingMs <= days * DAY_MS) ?? null;
  const name = manifest?.name ?? 'The platform';
  const reason = appMissing
    ? `The login cannot be renewed: the app at ${name} that it was granted to is missing or no longer accepted. Configure the app again, or reconnect the account.`
    : warningDays !== null
      ? `The login at ${name} expires soon and cannot be renewed. Reconnect the account before it does.`
      : missing.length > 0
        ? `Missing permissions at ${name}: ${missing.join(', ')}. Reconnect the account and grant them.`
        : null;
  return { status: reason === null ? 'active' : 'degraded', statusReason: reason, warningDays, missing };
}

/**
 * The permissions that the platform's abilities require for this connect method and that the account did not
 * grant, and those that the platform refused. An empty grant list is treated as unknown.
 */
export function missingPermissions(
  manifest: Manifest | null,
  {
    connectMethod,
    grantedPermissions: granted,
    refusedPermissions: refused,
  }: Pick<Connection, 'connectMethod' | 'grantedPermissions' | 'refusedPermissions'>,
): string[] {
  if (!manifest || granted.length === 0) return [...refused];
  const required = listRequiredPermissions(permissionsOf(manifest, connectMethod));
  return [...new Set([...required.filter((permission) => !granted.includes(permission)), ...refused])];
}

const permissionCache = new WeakMap<Manifest['permissions'], readonly string[]>();

/** The permissions of all abilities together; computed per row of a list. */
export function listRequiredPermissions(permissions: Manifest['permissions']): readonly string[] {
  let required = permissionCache.get(permissions);
  if (!required) {
    required = [...new Set(Object.values(permissions).flat())];
    permissionCache.set(permissions, required);
  }
  return required;
}
