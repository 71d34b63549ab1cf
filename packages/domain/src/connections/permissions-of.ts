import type { Manifest } from '../ports/manifest.js';

/**
 * The permissions that each ability requires for this connect method: the method's own, or else the
 * manifest's.
 */
export const permissionsOf = (manifest: Manifest, connectMethod: string): Manifest['permissions'] =>
  manifest.connect.find(({ id }) => id === connectMethod)?.permissions ?? manifest.permissions;

/** All permissions that these connect methods require or additionally request: what an app must have. */
export function listRequestedPermissions(
  manifest: Manifest,
  connectMethods: Manifest['connect'] = manifest.connect,
): string[] {
  const needed = connectMethods.flatMap(({ id, oauth2 }) => [
    ...Object.values(permissionsOf(manifest, id)).flat(),
    ...(oauth2?.permissions ?? []),
  ]);
  return [...new Set(needed)];
}
