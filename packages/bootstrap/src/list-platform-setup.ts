import type { Config } from './config.js';
import { listManifests } from './installed-platforms.js';
import { platformSettings } from './platform-settings.js';
import { runSandbox } from './sandbox.js';

interface PlatformSetupStatus {
  readonly id: string;
  readonly name: string;
  readonly isExternal: boolean;
  /** Missing environment variables without which the platform cannot be connected. */
  readonly missing: readonly string[];
}

/** The missing environment variables of each platform, without opening anything. */
export async function listPlatformSetup(config: Config): Promise<readonly PlatformSetupStatus[]> {
  const settings = platformSettings(config, await runSandbox(config, false));
  return listManifests(config).map((manifest) => ({
    id: manifest.id,
    name: manifest.name,
    isExternal: manifest.source === 'external',
    missing: settings.missing(manifest),
  }));
}
