import type { Vault } from '@switchboard/domain';
import { pendingMigrations } from '@switchboard/persistence/migrate';
import { prismaDir, type OpenedDatabase } from './database.js';
import type { MediaStore } from './media-store.js';
import type { Readiness } from './service.js';

/** Whether the database answers, has the schema of this version, the vault is open, and media lie where they should. Says no more than ok or a short reason. */
export const readiness =
  (database: OpenedDatabase, vault: Vault, mediaStore: Pick<MediaStore, 'check'>) =>
  async (): Promise<Readiness> => {
    const attempt = async (check: () => Promise<string>): Promise<string> =>
      check().catch(() => 'unreachable');
    const [answers, schema, opened, media] = await Promise.all([
      attempt(async () => {
        await database.ping();
        return 'ok';
      }),
      attempt(async () =>
        (await pendingMigrations(database.directUrl, prismaDir)).length === 0
          ? 'ok'
          : 'migrations are missing',
      ),
      attempt(async () => ((await vault.unlock(null)).ok ? 'ok' : 'locked')),
      attempt(() => mediaStore.check()),
    ]);
    const checks = { database: answers, schema, vault: opened, media };
    return { ready: Object.values(checks).every((check) => check === 'ok'), checks };
  };
