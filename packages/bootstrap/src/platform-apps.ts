import { appBinding, findApp, ok, type Manifests, type Readers, type Vault } from '@switchboard/domain';
import type { App, Apps } from '@switchboard/oauth';

export interface PlatformAppsDeps extends Pick<Readers, 'platformApps'> {
  readonly vault: Vault;
  readonly manifests: Manifests;
  /** The operator's app at a platform. */
  readonly ofEnvironment: (platformId: string) => App | null;
}

/** The OAuth apps of tenants, whose secrets lie in the vault, and behind them the operator's. */
export const platformApps = ({ ofEnvironment, vault, ...ports }: PlatformAppsDeps): Apps => ({
  async find(wanted) {
    const found = await findApp(ports, wanted);
    if (!found) return ok(null);
    if (found.source === 'environment') return ok(ofEnvironment(wanted.platformId));
    const { id, workspaceId, clientId, generation, sealedSecret } = found.app;
    const unlocked = await vault.unlock(workspaceId);
    if (!unlocked.ok) return unlocked;
    const clientSecret = unlocked.value.open(appBinding(id, generation), sealedSecret);
    return clientSecret.ok ? ok({ clientId, clientSecret: clientSecret.value }) : clientSecret;
  },
});
