import type { Vault } from '@switchboard/domain';
import type { Notices } from '@switchboard/persistence';
import { pendingMigrations } from '@switchboard/persistence/migrate';
import { prismaDir, type OpenedDatabase } from './database.js';
import type { MediaStore } from './media-store.js';
import type { Readiness } from './service.js';

/** Whether the database answers, has the schema of this version, the vault is open, and media lie where they should; beside it, whether notices are heard. Says no more than ok or a short reason. */
export const readiness =
  (
    database: OpenedDatabase,
    vault: Vault,
    mediaStore: Pick<MediaStore, 'check'>,
    notices: Pick<Notices, 'state'>,
  ) =>
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
    const needed = { database: answers, schema, vault: opened, media };
    const ready = Object.values(needed).every((check) => check === 'ok');
    const told = notices.state() === 'listening' ? 'ok' : 'not listening';
    return { ready, checks: { ...needed, notices: told } };
  };
