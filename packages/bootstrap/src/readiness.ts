import type { DataKeys, Vault } from '@switchboard/domain/ports';
import type { NotificationListener } from '@switchboard/persistence';
import { listPendingMigrations } from '@switchboard/persistence/migrate';
import type { MasterKeyProvider } from '@switchboard/vault';
import { prismaDir, type OpenedDatabase } from './database.js';
import type { MediaStore } from './media-store.js';
import type { Readiness } from './service.js';

interface ReadinessDependencies {
  readonly database: Pick<OpenedDatabase, 'directUrl' | 'ping'>;
  readonly vault: Pick<Vault, 'unlock'>;
  readonly masterKeys: Pick<MasterKeyProvider, 'list'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly mediaStore: Pick<MediaStore, 'check'>;
  readonly notices: Pick<NotificationListener, 'state'>;
}

/**
 * Whether the database responds, has the schema of this version, the vault can be decrypted, and the media
 * store matches; also whether notifications arrive. Reports only ok or a short reason. The endpoint is
 * public: concurrent requests share one check, so that a flood of them costs the database and the key service
 * no more than one.
 */
export function readiness(dependencies: ReadinessDependencies): () => Promise<Readiness> {
  let inFlight: Promise<Readiness> | null = null;
  return () => (inFlight ??= runChecks(dependencies).finally(() => (inFlight = null)));
}

async function runChecks(dependencies: ReadinessDependencies): Promise<Readiness> {
  const { database, vault, masterKeys, dataKeys, mediaStore, notices } = dependencies;
  const attempt = async (check: () => Promise<string>): Promise<string> => check().catch(() => 'unreachable');
  const [databaseCheck, schema, vaultCheck, media] = await Promise.all([
    attempt(async () => {
      await database.ping();
      return 'ok';
    }),
    attempt(async () =>
      (await listPendingMigrations(database.directUrl, prismaDir)).length === 0 ? 'ok' : 'pending migrations',
    ),
    attempt(async () => {
      // Cached keys decrypt for some more minutes; this checks whether decryption works after that.
      const [held, installation] = [await masterKeys.list(), await dataKeys.find(null)];
      if (!held.ok) return 'key service unavailable';
      if (installation && !held.value.includes(installation.masterKeyId)) return 'a master key is missing';
      return (await vault.unlock(null)).ok ? 'ok' : 'locked';
    }),
    attempt(() => mediaStore.check()),
  ]);
  const needed = { database: databaseCheck, schema, vault: vaultCheck, media };
  const ready = Object.values(needed).every((check) => check === 'ok');
  const noticesCheck = notices.state() === 'listening' ? 'ok' : 'not listening';
  return { ready, checks: { ...needed, notices: noticesCheck } };
}
