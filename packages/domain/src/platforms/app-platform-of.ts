import type { ConnectMethod } from '../ports/connect-method.js';
import type { Manifest } from '../ports/platform.js';

/** The platform whose app and origins a way uses: its own, unless it goes through another. */
export const appPlatformOf = (
  { id }: Pick<Manifest, 'id'>,
  { appPlatform: through }: Pick<ConnectMethod, 'appPlatform'>,
): string => through ?? id;
