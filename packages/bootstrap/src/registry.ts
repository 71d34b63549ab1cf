import { appPlatformOf } from '@switchboard/domain/platforms';
import type { Abilities, Manifest, Manifests, Platform, Platforms } from '@switchboard/domain/ports';
import { abilitiesOf } from '@switchboard/platform-kit/abilities-of';

interface RegistryOptions {
  /** Names of the environment variables that the platform needs to be connected and that are not set. */
  readonly missing: (manifest: Manifest) => readonly string[];
  /** The client ID of the app in the environment, if it is set. */
  readonly clientId: (manifest: Manifest) => string | null;
}

/** The platforms of this installation behind the ports `Platforms` and `Manifests`. */
export function platformRegistry(all: readonly Platform[], { missing, clientId }: RegistryOptions) {
  const byId = new Map(all.map((platform) => [platform.manifest.id, platform]));
  if (byId.size !== all.length) throw new Error('two platforms have the same id');
  for (const { manifest } of all) {
    const dangling = manifest.connect.find(
      (connectMethod) => !byId.has(appPlatformOf(manifest, connectMethod)),
    );
    if (dangling)
      throw new Error(
        `connect method ${dangling.id} of ${manifest.id} uses the app of unknown platform ${dangling.appPlatform}`,
      );
  }
  const manifests = all.map((platform) => platform.manifest);
  const abilities = new Map(all.map((platform) => [platform.manifest.id, abilitiesOf(platform)]));

  return {
    platforms: {
      find: (id) => byId.get(id) ?? null,
      list: () => all,
    } satisfies Platforms,
    manifests: {
      find: (id) => byId.get(id)?.manifest ?? null,
      list: () => manifests,
      findRules: (id) => byId.get(id)?.publishing ?? null,
      getAbilities: (id) => abilities.get(id) ?? noAbilities,
      listMissingVariables(id) {
        const manifest = byId.get(id)?.manifest;
        return manifest ? missing(manifest) : [];
      },
      findClientId(id) {
        const manifest = byId.get(id)?.manifest;
        return manifest ? clientId(manifest) : null;
      },
    } satisfies Manifests,
  };
}

const noAbilities: Abilities = { publishing: null, analytics: null, orders: null, refunds: null };
