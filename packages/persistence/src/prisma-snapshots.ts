import type { ConnectionId, DeliveryId, WorkspaceId } from '@switchboard/domain';
import type { Metrics } from '@switchboard/domain/analytics';
import type { Snapshot, Snapshots } from '@switchboard/domain/ports';
import { readJson, type DatabaseClient } from './columns.js';
import type { SnapshotModel } from './generated/models.js';

export function prismaSnapshots(client: DatabaseClient): Snapshots {
  const selectLatest = async (workspaceId: WorkspaceId, subjects: readonly string[]) => {
    const rows = await client.$queryRaw<SnapshotModel[]>`
      SELECT s.subject, s.hour, s.workspace_id AS "workspaceId", s.connection_id AS "connectionId",
        s.delivery_id AS "deliveryId", s.metrics, s.taken_at AS "takenAt"
      FROM unnest(${[...subjects]}::text[]) AS wanted (subject)
      CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE subject = wanted.subject ORDER BY hour DESC LIMIT 1) AS s
      WHERE s.workspace_id = ${workspaceId}`;
    return rows.map(toSnapshot);
  };

  return {
    async listLatest(workspaceId, deliveryIds) {
      const found = await selectLatest(workspaceId, deliveryIds);
      return new Map(found.map((item) => [item.deliveryId as DeliveryId, item]));
    },
    async listLatestOfAccounts(workspaceId, connectionIds) {
      const found = await selectLatest(workspaceId, connectionIds);
      return new Map(found.map((item) => [item.connectionId, item]));
    },
    async findFirstTime(workspaceId, connectionIds) {
      const { _min } = await client.snapshot.aggregate({
        where: { workspaceId, connectionId: { in: [...connectionIds] } },
        _min: { takenAt: true },
      });
      return _min.takenAt;
    },
    async insert(snapshots) {
      // Reports and the worker may fetch the same metrics concurrently: the newer row wins, and rows are
      // locked in one order.
      await client.$executeRaw`
        INSERT INTO snapshots (subject, hour, workspace_id, connection_id, delivery_id, metrics, taken_at)
        SELECT DISTINCT ON (coalesce("deliveryId", "connectionId"), date_trunc('hour', "takenAt", 'UTC'))
          coalesce("deliveryId", "connectionId"), date_trunc('hour', "takenAt", 'UTC'), "workspaceId", "connectionId",
          "deliveryId", metrics, "takenAt"
        FROM jsonb_to_recordset(${JSON.stringify(snapshots)}::jsonb) AS given ("workspaceId" text, "connectionId" text,
          "deliveryId" text, metrics jsonb, "takenAt" timestamptz)
        ORDER BY 1, 2, "takenAt" DESC
        ON CONFLICT (subject, hour) DO UPDATE SET metrics = excluded.metrics, taken_at = excluded.taken_at
          WHERE snapshots.workspace_id = excluded.workspace_id AND snapshots.taken_at <= excluded.taken_at`;
    },
  };
}

const toSnapshot = ({ subject: _, hour: __, ...row }: SnapshotModel): Snapshot => ({
  ...row,
  workspaceId: row.workspaceId as WorkspaceId,
  connectionId: row.connectionId as ConnectionId,
  deliveryId: row.deliveryId as DeliveryId | null,
  metrics: readJson<Metrics>(row.metrics),
});
