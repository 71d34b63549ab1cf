import type { Call } from '../call.js';
import type { Abilities, Manifest, ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';

/** A platform's facts, how far its abilities go, and what is missing before an account can be connected. */
export interface PlatformFacts {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  readonly missing: readonly string[];
}

export function listPlatforms(
  ports: Pick<ReadPorts, 'manifests'>,
  _call: Call,
): Promise<Result<readonly PlatformFacts[], never>> {
  return Promise.resolve(ok(ports.manifests.list().map((manifest) => platformFacts(ports, manifest))));
}

export const platformFacts = (
  { manifests }: Pick<ReadPorts, 'manifests'>,
  manifest: Manifest,
): PlatformFacts => ({
  manifest,
  abilities: manifests.abilities(manifest.id),
  missing: manifests.missing(manifest.id),
});
