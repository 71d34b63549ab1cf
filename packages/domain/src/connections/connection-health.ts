import type { Manifest } from '../ports/platform.js';
import type { Connection } from './connection.js';
import { permissionsOf } from './permissions-of.js';

/** How many days before a login ends that nothing can renew, its owner is told. */
export const WARNING_DAYS = [14, 3, 1] as const;

const DAY_MS = 86_400_000;

/** How a connection stands that works. */
export interface ConnectionHealth {
  readonly status: 'active' | 'degraded';
  readonly statusReason: string | null;
  /** Which of the warnings its time has come for; null before the first, and where nothing ends. */
  readonly warningDays: number | null;
  readonly missing: readonly string[];
}

export function assessConnectionHealth(
  {
    expiresAt,
    appMissing,
    ...granted
  }: Pick<Connection, 'expiresAt' | 'grantedPermissions' | 'appMissing' | 'connectMethod'>,
  manifest: Manifest | null,
  now: Date,
): ConnectionHealth {
  const missing = missingPermissions(manifest, granted);
  const remainingMs = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
  const warningDays = WARNING_DAYS.findLast((days) => remainingMs <= days * DAY_MS) ?? null;
  const name = manifest?.name ?? 'The platform';
  const reason = appMissing
    ? `The login cannot be renewed: the app at ${name} that it was granted to is not set up or not accepted any more. Set it up again, or connect the account again.`
    : warningDays !== null
      ? `The login at ${name} ends soon and cannot be renewed. Connect the account again before it does.`
      : missing.length > 0
        ? `${name} did not allow everything: ${missing.join(', ')}. Connect the account again and allow it.`
        : null;
  return { status: reason === null ? 'active' : 'degraded', statusReason: reason, warningDays, missing };
}

/** What the abilities of a platform need of an account that is connected this way, and it did not grant. An empty grant says nothing. */
export function missingPermissions(
  manifest: Manifest | null,
  { connectMethod, grantedPermissions: granted }: Pick<Connection, 'connectMethod' | 'grantedPermissions'>,
): string[] {
  if (!manifest || granted.length === 0) return [];
  const required = listRequiredPermissions(permissionsOf(manifest, connectMethod));
  return required.filter((permission) => !granted.includes(permission));
}

const permissionCache = new WeakMap<Manifest['permissions'], readonly string[]>();

/** What all abilities need together; a list asks for every row. */
export function listRequiredPermissions(permissions: Manifest['permissions']): readonly string[] {
  let required = permissionCache.get(permissions);
  if (!required) {
    required = [...new Set(Object.values(permissions).flat())];
    permissionCache.set(permissions, required);
  }
  return required;
}
