import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Abilities, ConnectMethod, Manifest, Manifests, ReadRepositories } from '../ports/index.js';
import { appPlatformOf } from './app-platform-of.js';

/** A platform's facts, how far its abilities go, and what is missing before an account can be connected. */
export interface PlatformFacts {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  /** Environment variables; none where one of the ways can be gone, with whose app ever. */
  readonly missing: readonly string[];
  /** The ways that can be gone, in their order: one that needs an app only where one serves. All of them where none can be. */
  readonly connectMethods: Manifest['connect'];
  /** Whose app and origins each of them uses, by its id. */
  readonly appPlatforms: ReadonlyMap<string, Manifest>;
}

/** What serves the accounts of a workspace or of a profile at each platform. */
export interface AppAvailability {
  listMissingVariables(manifest: Manifest): readonly string[];
  /** Whether there is the app that it needs, if it needs one. */
  isAvailable(manifest: Manifest, connectMethod: ConnectMethod): boolean;
}

/** What serves the accounts of a workspace or, where one is named, of a profile of it. */
export async function getAppAvailability(
  {
    platformApps,
    manifests,
  }: Pick<ReadRepositories, 'platformApps'> & {
    readonly manifests: Pick<Manifests, 'listMissingVariables' | 'findClientId'>;
  },
  workspaceId: WorkspaceId,
  profileId: ProfileId | null,
): Promise<AppAvailability> {
  const own = new Set(
    (await platformApps.listApplicable(workspaceId, profileId)).map(({ platform }) => platform),
  );
  const hasOwnApp = (manifest: Manifest, connectMethod: ConnectMethod) =>
    own.has(appPlatformOf(manifest, connectMethod));
  return {
    isAvailable: (manifest, connectMethod) =>
      !connectMethod.needsApp ||
      hasOwnApp(manifest, connectMethod) ||
      manifests.findClientId(appPlatformOf(manifest, connectMethod)) !== null,
    listMissingVariables: (manifest) =>
      manifest.connect.some((connectMethod) => hasOwnApp(manifest, connectMethod))
        ? []
        : manifests.listMissingVariables(manifest.id),
  };
}

export function buildPlatformFacts(
  manifests: Pick<Manifests, 'getAbilities' | 'find'>,
  manifest: Manifest,
  serving: AppAvailability,
): PlatformFacts {
  const { id, connect } = manifest;
  const [first, ...others] = connect.filter((connectMethod) => serving.isAvailable(manifest, connectMethod));
  const appPlatforms = connect.map(
    (connectMethod) =>
      [connectMethod.id, manifests.find(appPlatformOf(manifest, connectMethod)) ?? manifest] as const,
  );
  return {
    manifest,
    abilities: manifests.getAbilities(id),
    missing: serving.listMissingVariables(manifest),
    connectMethods: first ? [first, ...others] : connect,
    appPlatforms: new Map(appPlatforms),
  };
}
