import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Abilities, Manifest, Manifests, Readers } from '../ports/index.js';

/** A platform's facts, how far its abilities go, and what is missing before an account can be connected. */
export interface PlatformFacts {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  /** Environment variables; none where the workspace, or the profile that was asked about, brought an app of its own. */
  readonly missing: readonly string[];
  /** The ways that can be gone, in their order: one that needs an app only where one serves. All of them where none can be. */
  readonly ways: Manifest['connect'];
}

/** What serves the accounts of a workspace or of a profile at each platform. */
export interface Serving {
  missing(platform: string): readonly string[];
  hasApp(platform: string): boolean;
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
  return {
    missing: (platform) => (own.has(platform) ? [] : manifests.missing(platform)),
    hasApp: (platform) => own.has(platform) || manifests.clientId(platform) !== null,
  };
}

export function platformFacts(
  manifests: Pick<Manifests, 'abilities'>,
  manifest: Manifest,
  serving: Serving,
): PlatformFacts {
  const { id, connect } = manifest;
  const hasApp = serving.hasApp(id);
  const [first, ...others] = connect.filter(({ needsApp }) => hasApp || !needsApp);
  return {
    manifest,
    abilities: manifests.abilities(id),
    missing: serving.missing(id),
    ways: first ? [first, ...others] : connect,
  };
}
