import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Abilities, ConnectWay, Manifest, Manifests, Readers } from '../ports/index.js';
import { homeOf } from './home-of.js';

/** A platform's facts, how far its abilities go, and what is missing before an account can be connected. */
export interface PlatformFacts {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  /** Environment variables; none where one of the ways can be gone, with whose app ever. */
  readonly missing: readonly string[];
  /** The ways that can be gone, in their order: one that needs an app only where one serves. All of them where none can be. */
  readonly ways: Manifest['connect'];
  /** Whose app and origins each of them uses, by its id. */
  readonly homes: ReadonlyMap<string, Manifest>;
}

/** What serves the accounts of a workspace or of a profile at each platform. */
export interface Serving {
  missing(manifest: Manifest): readonly string[];
  /** Whether there is the app that it needs, if it needs one. */
  opens(manifest: Manifest, way: ConnectWay): boolean;
}

/** What serves the accounts of a workspace or, where one is named, of a profile of it. */
export async function servingFor(
  {
    platformApps,
    manifests,
  }: Pick<Readers, 'platformApps'> & { readonly manifests: Pick<Manifests, 'missing' | 'clientId'> },
  workspaceId: WorkspaceId,
  profileId: ProfileId | null,
): Promise<Serving> {
  const own = new Set(
    (await platformApps.listServing(workspaceId, profileId)).map(({ platform }) => platform),
  );
  const brought = (manifest: Manifest, way: ConnectWay) => own.has(homeOf(manifest, way));
  return {
    opens: (manifest, way) =>
      !way.needsApp || brought(manifest, way) || manifests.clientId(homeOf(manifest, way)) !== null,
    missing: (manifest) =>
      manifest.connect.some((way) => brought(manifest, way)) ? [] : manifests.missing(manifest.id),
  };
}

export function platformFacts(
  manifests: Pick<Manifests, 'abilities' | 'find'>,
  manifest: Manifest,
  serving: Serving,
): PlatformFacts {
  const { id, connect } = manifest;
  const [first, ...others] = connect.filter((way) => serving.opens(manifest, way));
  const homes = connect.map((way) => [way.id, manifests.find(homeOf(manifest, way)) ?? manifest] as const);
  return {
    manifest,
    abilities: manifests.abilities(id),
    missing: serving.missing(manifest),
    ways: first ? [first, ...others] : connect,
    homes: new Map(homes),
  };
}
