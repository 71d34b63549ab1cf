import { type Prisma } from './generated/client.js';
import type { DatabaseClient } from './columns.js';

/**
 * Removes connections: destroys their credentials, and keeps the row as a reference for posts, refunds and
 * metrics, without a profile and without personal data.
 */
export async function tombstoneConnections(
  client: DatabaseClient,
  where: Prisma.ConnectionWhereInput,
): Promise<void> {
  const rows = await client.connection.findMany({
    where: { ...where, deletedAt: null },
    select: { id: true },
  });
  const ids = rows.map(({ id }) => id);
  await client.credential.deleteMany({ where: { connectionId: { in: ids } } });
  await client.refreshReceipt.deleteMany({ where: { connectionId: { in: ids } } });
  await client.orderWatch.deleteMany({ where: { connectionId: { in: ids } } });
  await client.storeWebhook.deleteMany({ where: { connectionId: { in: ids } } });
  await client.$executeRaw`
    UPDATE connections
    SET deleted_at = now(), profile_id = NULL, label = NULL, external_id = NULL, metadata = '{}', status_reason = NULL,
      account_username = NULL, account_name = NULL, account_avatar_url = NULL, account_url = NULL,
      granted_permissions = '{}', paused = false, pause = NULL, watch_orders = false, version = version + 1
    WHERE id = ANY (${ids}) AND deleted_at IS NULL`;
}
