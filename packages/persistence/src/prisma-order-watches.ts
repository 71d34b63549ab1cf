import { SWEEP_MS, VERSIONS_MAX, type OrderWatch } from '@switchboard/domain/orders';
import type { OrderWatches } from '@switchboard/domain/ports';
import { jsonText, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

const columns = Prisma.sql`w.connection_id AS "connectionId", w.workspace_id AS "workspaceId", w.since,
  w.baselined AS "isBaselined", w.position, w.reading, w.found_at AS "foundAt", w.next_sweep_at AS "nextSweepAt",
  w.failures, w.fence`;

export const prismaOrderWatches = (client: DatabaseClient): OrderWatches => ({
  async find(workspaceId, connectionId) {
    const [row] = await client.$queryRaw<OrderWatch[]>`
      SELECT ${columns} FROM order_watches w
      WHERE w.workspace_id = ${workspaceId} AND w.connection_id = ${connectionId}`;
    return row ?? null;
  },
  async start({ workspaceId, connectionId, since }) {
    const position = new Date(since.getTime() - SWEEP_MS);
    await client.$executeRaw`
      INSERT INTO order_watches AS w (connection_id, workspace_id, since, position)
      VALUES (${connectionId}, ${workspaceId}, ${since}, ${position})
      ON CONFLICT (connection_id) DO UPDATE SET since = least(w.since, excluded.since), baselined = false,
        position = least(w.since, excluded.since) - make_interval(secs => ${SWEEP_MS / 1000}), reading = NULL,
        next_sweep_at = now(), next_poll_at = now(), failures = 0, fence = w.fence + 1`;
    await client.$executeRaw`
      DELETE FROM watched_orders
      WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND NOT reported`;
  },
  async delete(workspaceId, connectionId) {
    await client.orderWatch.deleteMany({ where: { workspaceId, connectionId } });
  },
  claimDue: (limit, leaseSeconds) => client.$queryRaw<OrderWatch[]>`
    UPDATE order_watches w SET next_poll_at = now() + make_interval(secs => ${leaseSeconds}::int), fence = w.fence + 1
    FROM (
      SELECT due.connection_id FROM order_watches due
      JOIN connections c ON c.workspace_id = due.workspace_id AND c.id = due.connection_id
      WHERE due.next_poll_at <= now() AND c.status <> 'needs_reauth'
      ORDER BY due.next_poll_at LIMIT ${limit} FOR NO KEY UPDATE OF due SKIP LOCKED
    ) AS claimed
    WHERE w.connection_id = claimed.connection_id
    RETURNING ${columns}`,
  async addVersions(workspaceId, connectionId, versions) {
    if (versions.length === 0) return new Map();
    // Inserted, not updated: xmax is 0.
    const rows = await client.$queryRaw<{ externalId: string; isFirst: boolean }[]>`
      INSERT INTO watched_orders AS o (connection_id, external_id, workspace_id, digests, reported)
      SELECT ${connectionId}, "externalId", ${workspaceId}, ARRAY[digest], "isReported"
      FROM jsonb_to_recordset(${JSON.stringify(versions)}::jsonb)
        AS version ("externalId" text, digest text, "isReported" boolean)
      ON CONFLICT (connection_id, external_id) DO UPDATE
      SET digests = (excluded.digests || o.digests)[1:${Prisma.raw(String(VERSIONS_MAX))}], reported = o.reported OR excluded.reported
      WHERE NOT o.digests @> excluded.digests
      RETURNING o.external_id AS "externalId", o.xmax = 0 AS "isFirst"`;
    return new Map(rows.map(({ externalId, isFirst }) => [externalId, { isFirst }]));
  },
  async noteChange(workspaceId, connectionId) {
    await client.$executeRaw`
      UPDATE order_watches SET found_at = now()
      WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId}`;
  },
  async settle({ connectionId, workspaceId, fence, ...watch }, nextPollAt) {
    const count = await client.$executeRaw`
      UPDATE order_watches SET baselined = ${watch.isBaselined}, position = ${watch.position},
        reading = ${watch.reading && jsonText(watch.reading)}::jsonb, found_at = greatest(found_at, ${watch.foundAt}),
        next_sweep_at = ${watch.nextSweepAt}, next_poll_at = ${nextPollAt}, failures = ${watch.failures}
      WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND fence = ${fence}`;
    return count === 1;
  },
});
