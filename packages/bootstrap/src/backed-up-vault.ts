import type { DatabaseEntry } from '@switchboard/persistence/backup';
import type { MasterKeyProvider } from '@switchboard/vault';
import { openVault } from './open-vault.js';
import { systemClock } from './system-clock.js';

/** Verifies that the master keys open a database, by what its backup says. Throws a `ConfigurationError`. */
export async function openBackedUpVault(
  masterKeys: MasterKeyProvider,
  { installationKey, canary, masterKeys: uses, takenAt }: DatabaseEntry,
): Promise<void> {
  // Of a database that no process has used yet.
  if (!installationKey || canary === null) return;
  const since = new Date(takenAt);
  const key = {
    workspaceId: null,
    version: installationKey.version,
    masterKeyId: installationKey.masterKeyId,
    wrapped: Buffer.from(installationKey.wrapped, 'base64'),
  };
  const refuseWrite = () => Promise.reject(new Error('a backup is not modified'));
  await openVault(
    masterKeys,
    {
      dataKeys: {
        find: async (workspaceId) => (workspaceId === null ? key : null),
        countByMasterKey: async () => uses.map((use) => ({ ...use, since })),
        listWrappedByOtherKeys: async () => [],
        insert: refuseWrite,
        rewrap: refuseWrite,
      },
      canaries: { find: async () => Buffer.from(canary, 'base64'), insert: refuseWrite },
    },
    systemClock,
  );
}
