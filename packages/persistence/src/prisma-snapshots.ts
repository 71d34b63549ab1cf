import type {
  ConnectionId,
  DeliveryId,
  Metrics,
  Snapshot,
  Snapshots,
  WorkspaceId,
} from '@switchboard/domain';
import { readJson, writeJson, type Client } from './columns.js';
import type { SnapshotModel } from './generated/models.js';

export function prismaSnapshots(client: Client): Snapshots {
  const latest = async (workspaceId: WorkspaceId, subjects: readonly string[]) => {
    const rows = await client.$queryRaw<SnapshotModel[]>`
      SELECT s.subject, s.hour, s.workspace_id AS "workspaceId", s.connection_id AS "connectionId",
        s.delivery_id AS "deliveryId", s.metrics, s.taken_at AS "takenAt"
      FROM unnest(${[...subjects]}::text[]) AS wanted (subject)
      CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE subject = wanted.subject ORDER BY hour DESC LIMIT 1) AS s
      WHERE s.workspace_id = ${workspaceId}`;
    return rows.map(snapshot);
  };

  return {
    async listLatest(workspaceId, deliveryIds) {
      const found = await latest(workspaceId, deliveryIds);
      return new Map(found.map((item) => [item.deliveryId as DeliveryId, item]));
    },
    async listLatestOfAccounts(workspaceId, connectionIds) {
      const found = await latest(workspaceId, connectionIds);
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
      for (const { metrics, ...rest } of snapshots) {
        const subject = rest.deliveryId ?? rest.connectionId;
        const hour = new Date(rest.takenAt);
        hour.setUTCMinutes(0, 0, 0);
        const columns = { ...rest, metrics: writeJson(metrics) };
        await client.snapshot.upsert({
          where: { subject_hour: { subject, hour }, workspaceId: rest.workspaceId },
          create: { ...columns, subject, hour },
          update: columns,
        });
      }
    },
  };
}

const snapshot = ({ subject: _, hour: __, ...row }: SnapshotModel): Snapshot => ({
  ...row,
  workspaceId: row.workspaceId as WorkspaceId,
  connectionId: row.connectionId as ConnectionId,
  deliveryId: row.deliveryId as DeliveryId | null,
  metrics: readJson<Metrics>(row.metrics),
});
