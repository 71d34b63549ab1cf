import type {
  ConnectionId,
  DeliveryId,
  Metrics,
  Snapshot,
  Snapshots,
  WorkspaceId,
} from '@switchboard/domain';
import { readJson, type Client } from './columns.js';
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
      if (snapshots.length === 0) return;
      const rows = JSON.stringify(snapshots.map(columnsOf));
      // Locked in one order, so that two that take the same numbers at once never wait for each other in a circle.
      await client.$executeRaw`
        INSERT INTO snapshots AS kept (subject, hour, workspace_id, connection_id, delivery_id, metrics, taken_at)
        SELECT DISTINCT ON (name) subject, hour, workspace_id, connection_id, delivery_id, metrics, taken_at
        FROM jsonb_to_recordset(${rows}::jsonb) AS taken (name text, subject text, hour timestamptz, workspace_id text,
          connection_id text, delivery_id text, metrics jsonb, taken_at timestamptz)
        ORDER BY name, taken_at DESC
        ON CONFLICT (subject, hour) DO UPDATE SET metrics = excluded.metrics, taken_at = excluded.taken_at
        WHERE kept.workspace_id = excluded.workspace_id AND kept.taken_at <= excluded.taken_at`;
    },
  };
}

function columnsOf({ workspaceId, connectionId, deliveryId, metrics, takenAt }: Snapshot) {
  const subject = deliveryId ?? connectionId;
  const hour = new Date(takenAt);
  hour.setUTCMinutes(0, 0, 0);
  return {
    name: `${subject} ${hour.toISOString()}`,
    subject,
    hour,
    workspace_id: workspaceId,
    connection_id: connectionId,
    delivery_id: deliveryId,
    metrics,
    taken_at: takenAt,
  };
}

const snapshot = ({ subject: _, hour: __, ...row }: SnapshotModel): Snapshot => ({
  ...row,
  workspaceId: row.workspaceId as WorkspaceId,
  connectionId: row.connectionId as ConnectionId,
  deliveryId: row.deliveryId as DeliveryId | null,
  metrics: readJson<Metrics>(row.metrics),
});
