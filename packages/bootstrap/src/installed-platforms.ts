import type { Manifest, Platform } from '@switchboard/domain/ports';
import { catalog } from '@switchboard/platforms';
import type { RunningSandbox } from './sandbox.js';

/** The platforms of an installation, without opening it. */
export const listManifests = (hasSandbox: boolean): readonly Manifest[] =>
  catalog.map(({ manifest }) => manifest).filter((manifest) => hasSandbox || !manifest.sandbox);

/**
 * Every platform of the catalog; the sandbox platforms only when the sandbox runs, with its address in their
 * descriptions.
 */
export const installedPlatforms = (sandbox: RunningSandbox | null): readonly Platform[] =>
  catalog.flatMap((platform) => {
    const { manifest } = platform;
    if (!manifest.sandbox) return [platform];
    return sandbox ? [{ ...platform, manifest: { ...manifest, docsUrl: `${sandbox.url}/` } }] : [];
  });
