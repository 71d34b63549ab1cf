import type { Manifest } from '../ports/platform.js';

/** What each ability needs of an account that is connected this way: the way's own, or else the manifest's. */
export const permissionsOf = (manifest: Manifest, connectMethod: string): Manifest['permissions'] =>
  manifest.connect.find(({ id }) => id === connectMethod)?.permissions ?? manifest.permissions;

/** Everything that these ways need, or ask for besides: what an app has to have. */
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
