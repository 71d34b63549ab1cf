import type { Dismissals } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';

export const prismaDismissals = (client: DatabaseClient): Dismissals => ({
  async list(workspaceId, itemIds) {
    if (itemIds.length === 0) return new Set();
    const rows = await client.dismissal.findMany({
      where: { workspaceId, itemId: { in: [...itemIds] } },
      select: { itemId: true },
    });
    return new Set(rows.map(({ itemId }) => itemId));
  },
  async insert({ by: dismissedBy, ...dismissal }) {
    await client.dismissal.createMany({ data: { ...dismissal, dismissedBy }, skipDuplicates: true });
  },
});
