import { catalogue } from '@switchboard/platforms';
import type { Config } from './config.js';
import { platformSettings } from './platform-settings.js';
import { runSandbox } from './sandbox.js';

export interface PlatformToSetUp {
  readonly id: string;
  readonly name: string;
  /** Environment variables without which it cannot be connected. */
  readonly missing: readonly string[];
}

/** What each platform still needs of the environment, without opening anything. */
export async function platformsToSetUp(config: Config): Promise<readonly PlatformToSetUp[]> {
  const settings = platformSettings(config, await runSandbox(config, false));
  return catalogue
    .filter(({ manifest }) => config.sandbox || !manifest.sandbox)
    .map(({ manifest }) => ({ id: manifest.id, name: manifest.name, missing: settings.missing(manifest) }));
}
