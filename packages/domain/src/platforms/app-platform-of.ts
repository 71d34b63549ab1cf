import type { ConnectMethod } from '../ports/connect-method.js';
import type { Manifest } from '../ports/manifest.js';

/** The platform whose app and origins a connect method uses: its own, unless it goes through another. */
export const appPlatformOf = (
  { id }: Pick<Manifest, 'id'>,
  { appPlatform }: Pick<ConnectMethod, 'appPlatform'>,
): string => appPlatform ?? id;
