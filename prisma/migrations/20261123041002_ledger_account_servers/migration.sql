-- DropIndex
DROP INDEX "refunds_workspace_id_platform_remote_account_id_order_exter_idx";

-- AlterTable
ALTER TABLE "refunds" ADD COLUMN     "account_server" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "refund_ledgers" DROP CONSTRAINT "refund_ledgers_pkey",
ADD COLUMN     "account_server" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "refund_ledgers_pkey" PRIMARY KEY ("workspace_id", "platform", "account_server", "remote_account_id", "order_external_id");

-- A refund belongs to the account of the connection that it was made through.
UPDATE refunds r SET account_server = c.account_server FROM connections c
WHERE c.workspace_id = r.workspace_id AND c.id = r.connection_id AND c.account_server <> '';

-- A ledger belongs to the server of its refunds. Where servers that give the same ids shared one, each gets what its own
-- refunds come to; what the store itself refunded is read from the store before each refund.
INSERT INTO refund_ledgers (workspace_id, platform, account_server, remote_account_id, order_external_id, currency,
  captured_minor, refunded_minor, reserved_minor, in_flight)
SELECT l.workspace_id, l.platform, r.account_server, l.remote_account_id, l.order_external_id, l.currency,
  CASE WHEN l.is_shared THEN greatest(l.captured_minor, r.refunded + r.reserved) ELSE l.captured_minor END,
  CASE WHEN l.is_shared THEN r.refunded ELSE l.refunded_minor END,
  CASE WHEN l.is_shared THEN r.reserved ELSE l.reserved_minor END,
  CASE WHEN l.is_shared THEN r.in_flight ELSE l.in_flight END
FROM (
  SELECT ledger.*, (
    SELECT count(DISTINCT account_server) > 1 FROM refunds
    WHERE (workspace_id, platform, remote_account_id, order_external_id) =
      (ledger.workspace_id, ledger.platform, ledger.remote_account_id, ledger.order_external_id)) AS is_shared
  FROM refund_ledgers ledger) l
CROSS JOIN LATERAL (
  SELECT account_server,
    coalesce(sum(amount_minor) FILTER (WHERE status = 'succeeded'), 0)::bigint AS refunded,
    coalesce(sum(amount_minor) FILTER (WHERE id = l.in_flight), 0)::bigint AS reserved,
    max(id) FILTER (WHERE id = l.in_flight) AS in_flight
  FROM refunds
  WHERE (workspace_id, platform, remote_account_id, order_external_id) =
    (l.workspace_id, l.platform, l.remote_account_id, l.order_external_id)
  GROUP BY account_server) r
WHERE r.account_server <> '';
DELETE FROM refund_ledgers l USING refund_ledgers moved
WHERE l.account_server = '' AND moved.account_server <> ''
  AND (moved.workspace_id, moved.platform, moved.remote_account_id, moved.order_external_id) =
    (l.workspace_id, l.platform, l.remote_account_id, l.order_external_id);

-- …and one refund at a time
DROP INDEX refunds_in_flight_key;
CREATE UNIQUE INDEX refunds_in_flight_key ON refunds (workspace_id, platform, account_server, remote_account_id, order_external_id)
  WHERE source = 'switchboard' AND status IN ('pending', 'unknown', 'needs_review', 'awaiting_approval');

-- CreateIndex
CREATE INDEX "refunds_workspace_id_platform_account_server_remote_account_idx" ON "refunds"("workspace_id", "platform", "account_server", "remote_account_id", "order_external_id", "created_at");
