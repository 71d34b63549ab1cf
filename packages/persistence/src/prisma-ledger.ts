import type { RefundId } from '@switchboard/domain';
import type { Ledger, LedgerEntry } from '@switchboard/domain/ports';
import { ledgerKeyOf } from '@switchboard/domain/refunds';
import type { DatabaseClient } from './columns.js';

export interface LedgerRow {
  readonly currency: string;
  readonly captured: bigint;
  readonly refunded: bigint;
  readonly reserved: bigint;
  readonly inFlight: RefundId | null;
}

export function prismaLedger(client: DatabaseClient): Ledger {
  return {
    async lock(order, currency) {
      const { workspaceId, platform, accountServer, remoteAccountId, orderExternalId } = order;
      await client.$executeRaw`
        INSERT INTO refund_ledgers (workspace_id, platform, account_server, remote_account_id, order_external_id, currency)
        VALUES (${workspaceId}, ${platform}, ${accountServer}, ${remoteAccountId}, ${orderExternalId}, ${currency}) ON CONFLICT DO NOTHING`;
      const [row] = await client.$queryRaw<LedgerRow[]>`
        SELECT currency, captured_minor AS captured, refunded_minor AS refunded, reserved_minor AS reserved, in_flight AS "inFlight"
        FROM refund_ledgers
        WHERE workspace_id = ${workspaceId} AND platform = ${platform} AND account_server = ${accountServer}
          AND remote_account_id = ${remoteAccountId} AND order_external_id = ${orderExternalId}
        FOR UPDATE`;
      if (!row) throw new Error('the refund ledger row is missing after insert');
      return toLedgerEntry(row);
    },
    async save(order, { currency, capturedMinor, refundedMinor, reservedMinor, inFlight }) {
      await client.refundLedger.update({
        where: { workspaceId_platform_accountServer_remoteAccountId_orderExternalId: ledgerKeyOf(order) },
        data: { currency, capturedMinor, refundedMinor, reservedMinor, inFlight },
      });
    },
    async lockLineages(lineages) {
      // Sorted by lock ID, so that two transactions do not deadlock.
      await client.$queryRaw`
        SELECT pg_advisory_xact_lock(lock)::text
        FROM (SELECT hashtextextended('lineage ' || lineage, 0) AS lock FROM unnest(${[...lineages]}::text[]) AS lineage
              ORDER BY lock) AS locks`;
    },
    async charge({ workspaceId, id: refundId, createdAt }, lineages) {
      await client.ceilingCharge.createMany({
        data: lineages.map((lineage, position) => ({ workspaceId, refundId, lineage, position, createdAt })),
      });
    },
    async retainCharges(workspaceId, refundId, lineages) {
      await client.ceilingCharge.updateMany({
        where: { workspaceId, refundId, lineage: { in: [...lineages] } },
        data: { retained: true },
      });
    },
  };
}

export const toLedgerEntry = ({
  currency,
  captured,
  refunded,
  reserved,
  inFlight,
}: LedgerRow): LedgerEntry => ({
  currency,
  capturedMinor: Number(captured),
  refundedMinor: Number(refunded),
  reservedMinor: Number(reserved),
  inFlight,
});
