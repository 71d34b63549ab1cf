import type { Platform } from '@switchboard/domain/ports';
import { catalog } from '@switchboard/platforms';
import type { RunningSandbox } from './sandbox.js';

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
