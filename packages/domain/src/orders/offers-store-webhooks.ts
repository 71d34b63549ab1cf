import type { Connection } from '../connections/connection.js';
import type { Manifests, Settings } from '../ports/index.js';

/** Whether a store can send webhooks to this installation, which it reaches by https only. */
export const offersStoreWebhooks = (
  {
    manifests,
    settings,
  }: { readonly manifests: Pick<Manifests, 'getAbilities'>; readonly settings: Settings },
  { platform, connectMethod }: Pick<Connection, 'platform' | 'connectMethod'>,
): boolean =>
  settings.publicUrl.startsWith('https://') &&
  (manifests.getAbilities(platform).orders?.webhooks.includes(connectMethod) ?? false);
