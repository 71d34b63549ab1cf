import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Abilities, ConnectMethod, Manifest, Manifests, ReadRepositories } from '../ports/index.js';
import { appPlatformOf } from './app-platform-of.js';

/**
 * A platform's facts, its abilities, and the configuration that is missing before an account can be
 * connected.
 */
export interface PlatformFacts {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  /** Environment variables; none when one of the connect methods is available, with any app. */
  readonly missing: readonly string[];
  /**
   * The available connect methods, in their order: one that needs an app only when an app exists. All of them
   * when none is available.
   */
  readonly connectMethods: Manifest['connect'];
  /** The platform whose app and origins each of them uses, by connect method id. */
  readonly appPlatforms: ReadonlyMap<string, Manifest>;
}

/** The apps available to the accounts of a workspace or of a profile at each platform. */
export interface AppAvailability {
  listMissingVariables(manifest: Manifest): readonly string[];
  /** Whether the app that the connect method needs exists, if it needs one. */
  isAvailable(manifest: Manifest, connectMethod: ConnectMethod): boolean;
}

/** The apps available to the accounts of a workspace or, where one is named, of its profile. */
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
