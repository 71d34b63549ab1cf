import type { Notifications } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import type { WorkspaceModel } from './generated/models.js';
import { toWorkspace } from './prisma-workspaces.js';

export const prismaNotifications = (client: DatabaseClient): Notifications => ({
  async listDue(limit) {
    const due = await client.$queryRaw<Pick<WorkspaceModel, 'id'>[]>`
      SELECT w.id FROM workspaces w LEFT JOIN notifications n ON n.workspace_id = w.id
      WHERE w.notify_emails <> '{}' AND coalesce(n.next_check_at <= now(), true)
      ORDER BY n.next_check_at NULLS FIRST, w.id LIMIT ${limit}`;
    const order = new Map(due.map(({ id }, index) => [id, index]));
    const rows = await client.workspace.findMany({ where: { id: { in: due.map(({ id }) => id) } } });
    return rows.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0)).map(toWorkspace);
  },
  async claim(workspaceId, nextCheckAt) {
    const claimed = await client.$executeRaw`
      INSERT INTO notifications (workspace_id, next_check_at) VALUES (${workspaceId}, ${nextCheckAt})
      ON CONFLICT (workspace_id) DO UPDATE SET next_check_at = excluded.next_check_at
      WHERE notifications.next_check_at <= now()`;
    return claimed === 1;
  },
  async listItems(workspaceId) {
    const row = await client.notification.findUnique({ where: { workspaceId } });
    return row?.items ?? [];
  },
  async store(workspaceId, items, nextCheckAt) {
    await client.notification.update({
      where: { workspaceId },
      data: { items: [...items], nextCheckAt },
    });
  },
});
