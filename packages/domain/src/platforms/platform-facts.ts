import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Abilities, Manifest, Manifests, Readers } from '../ports/index.js';

/** A platform's facts, how far its abilities go, and what is missing before an account can be connected. */
export interface PlatformFacts {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  /** Environment variables; none where the workspace, or the profile that was asked about, brought an app of its own. */
  readonly missing: readonly string[];
}

/** What is missing at each platform for the accounts of a workspace or, where one is named, of a profile of it. */
export async function missingFor(
  {
    platformApps,
    manifests,
  }: Pick<Readers, 'platformApps'> & { readonly manifests: Pick<Manifests, 'missing'> },
  workspaceId: WorkspaceId,
  profileId: ProfileId | null,
): Promise<(platform: string) => readonly string[]> {
  const own = new Set(
    (await platformApps.listServing(workspaceId, profileId)).map(({ platform }) => platform),
  );
  return (platform) => (own.has(platform) ? [] : manifests.missing(platform));
}

export const platformFacts = (
  manifests: Pick<Manifests, 'abilities'>,
  manifest: Manifest,
  missing: (platform: string) => readonly string[],
): PlatformFacts => ({
  manifest,
  abilities: manifests.abilities(manifest.id),
  missing: missing(manifest.id),
});
