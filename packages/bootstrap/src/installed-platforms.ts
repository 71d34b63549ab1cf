import type { Manifest, Platform } from '@switchboard/domain/ports';
import { catalog } from '@switchboard/platforms';
import type { Config } from './config.js';
import { loadExternalPlatforms } from './external-platforms/load-external-platforms.js';
import type { RunningSandbox } from './sandbox.js';

/** The built-in platforms, then those that the operator added. */
export const listAllPlatforms = ({
  externalPlatforms,
}: Pick<Config, 'externalPlatforms'>): readonly Platform[] => [
  ...catalog,
  ...loadExternalPlatforms(externalPlatforms).platforms,
];

/** The platforms of an installation, without opening it. */
export const listManifests = (config: Pick<Config, 'externalPlatforms' | 'sandbox'>): readonly Manifest[] =>
  listAllPlatforms(config)
    .map(({ manifest }) => manifest)
    .filter((manifest) => config.sandbox || !manifest.sandbox);

/**
 * Every platform; the sandbox platforms only when the sandbox runs, with its address in their descriptions.
 */
export const installedPlatforms = (
  config: Pick<Config, 'externalPlatforms'>,
  sandbox: RunningSandbox | null,
): readonly Platform[] =>
  listAllPlatforms(config).flatMap((platform) => {
    const { manifest } = platform;
    if (!manifest.sandbox) return [platform];
    return sandbox ? [{ ...platform, manifest: { ...manifest, docsUrl: `${sandbox.url}/` } }] : [];
  });
