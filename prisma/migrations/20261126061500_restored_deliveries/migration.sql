-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "restored_at" TIMESTAMPTZ(3);

CREATE INDEX deliveries_restored_idx ON deliveries (coalesce(next_attempt_at, scheduled_at)) WHERE status IN ('pending', 'retrying') AND restored_at IS NOT NULL;
