import { ok } from '@switchboard/domain';
import { appBinding, findApp } from '@switchboard/domain/platforms';
import type { Manifests, ReadRepositories, Vault } from '@switchboard/domain/ports';
import type { OAuthApp, OAuthApps } from '@switchboard/oauth';

interface PlatformAppsDeps extends Pick<ReadRepositories, 'platformApps'> {
  readonly vault: Vault;
  readonly manifests: Manifests;
  /** The operator's app at a platform. */
  readonly environmentApp: (platformId: string) => OAuthApp | null;
}

/** The OAuth apps of tenants, whose secrets are in the vault, with the operator's as the fallback. */
export const platformApps = ({ environmentApp, vault, ...ports }: PlatformAppsDeps): OAuthApps => ({
  async find(query) {
    const found = await findApp(ports, query);
    if (!found) return ok(null);
    if (found.source === 'environment') return ok(environmentApp(query.platformId));
    const { id, workspaceId, clientId, generation, sealedSecret } = found.app;
    const unlocked = await vault.unlock(workspaceId);
    if (!unlocked.ok) return unlocked;
    const clientSecret = unlocked.value.open(appBinding(id, generation), sealedSecret);
    return clientSecret.ok ? ok({ clientId, clientSecret: clientSecret.value }) : clientSecret;
  },
});
