import { createHash } from 'node:crypto';
import type { StoreWebhook } from '@switchboard/domain/orders';
import type { StoreWebhooks } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

const columns = Prisma.sql`h.connection_id AS "connectionId", h.workspace_id AS "workspaceId", h.address,
  h.sealed_secret AS "sealedSecret", h.generation, h.external_ids AS "externalIds", h.failures, h.fence`;

export const prismaStoreWebhooks = (client: DatabaseClient): StoreWebhooks => ({
  async find(workspaceId, connectionId) {
    const [row] = await client.$queryRaw<StoreWebhook[]>`
      SELECT ${columns} FROM store_webhooks h
      WHERE h.workspace_id = ${workspaceId} AND h.connection_id = ${connectionId}`;
    return row ?? null;
  },
  async findByAddress(address) {
    const [row] = await client.$queryRaw<StoreWebhook[]>`
      SELECT ${columns} FROM store_webhooks h WHERE h.address = ${address}`;
    return row ?? null;
  },
  async wake({ workspaceId, connectionId }, create) {
    if (create) {
      await client.$executeRaw`
        INSERT INTO store_webhooks AS h (connection_id, workspace_id, address, external_ids)
        VALUES (${connectionId}, ${workspaceId}, ${create.address}, '{}')
        ON CONFLICT (connection_id) DO UPDATE SET next_attempt_at = now(), failures = 0, fence = h.fence + 1`;
      return;
    }
    await client.$executeRaw`
      UPDATE store_webhooks SET next_attempt_at = now(), failures = 0, fence = fence + 1
      WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId}`;
  },
  listMissing: (connectMethods, limit) => client.$queryRaw<StoreWebhook[]>`
    SELECT w.workspace_id AS "workspaceId", w.connection_id AS "connectionId" FROM order_watches w
    JOIN connections c ON c.workspace_id = w.workspace_id AND c.id = w.connection_id
    WHERE c.platform || ' ' || c.connect_method = ANY (${[...connectMethods]})
      AND NOT EXISTS (SELECT FROM store_webhooks h WHERE h.connection_id = w.connection_id)
    LIMIT ${limit}`,
  claimDue: (limit, leaseSeconds) => client.$queryRaw<StoreWebhook[]>`
    UPDATE store_webhooks h SET next_attempt_at = now() + make_interval(secs => ${leaseSeconds}::int), fence = h.fence + 1
    FROM (
      SELECT due.connection_id FROM store_webhooks due
      JOIN connections c ON c.workspace_id = due.workspace_id AND c.id = due.connection_id
      WHERE due.next_attempt_at <= now() AND c.status <> 'needs_reauth'
      ORDER BY due.next_attempt_at LIMIT ${limit} FOR NO KEY UPDATE OF due SKIP LOCKED
    ) AS claimed
    WHERE h.connection_id = claimed.connection_id
    RETURNING ${columns}`,
  async settle(webhook, nextAttemptAt) {
    const { workspaceId, connectionId, fence, sealedSecret, generation, externalIds, failures } = webhook;
    const { count } = await client.storeWebhook.updateMany({
      where: { workspaceId, connectionId, fence },
      data: {
        sealedSecret: sealedSecret && writeBytes(sealedSecret),
        generation,
        externalIds: [...externalIds],
        failures,
        nextAttemptAt,
      },
    });
    return count === 1;
  },
  async delete({ workspaceId, connectionId, fence }) {
    const { count } = await client.storeWebhook.deleteMany({ where: { workspaceId, connectionId, fence } });
    return count === 1;
  },
  async recordDelivery({ workspaceId, connectionId }, deliveryId) {
    // Of any length: a digest of it is stored.
    const digest = createHash('sha256').update(deliveryId).digest('base64url');
    const count = await client.$executeRaw`
      INSERT INTO store_webhook_deliveries (connection_id, delivery_id, workspace_id)
      SELECT connection_id, ${digest}, workspace_id FROM store_webhooks
      WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} FOR KEY SHARE
      ON CONFLICT DO NOTHING`;
    return count === 1;
  },
});
