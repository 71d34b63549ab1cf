-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

UPDATE webhook_deliveries SET started_at = created_at WHERE status = 'pending';

DROP INDEX webhook_deliveries_oldest_idx;

CREATE INDEX webhook_deliveries_started_idx ON webhook_deliveries (started_at) WHERE status = 'pending';
