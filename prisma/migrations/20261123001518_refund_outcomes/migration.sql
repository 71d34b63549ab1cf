-- AlterTable
ALTER TABLE "refunds" ADD COLUMN     "resolved_by" TEXT,
ALTER COLUMN "money_moved" DROP NOT NULL;

-- Whether money moved is not known of a refund that has not settled.
UPDATE refunds SET money_moved = NULL WHERE status NOT IN ('succeeded', 'failed');

-- A store's response names the refund: one that succeeded without an id was resolved by a person.
UPDATE refunds SET resolved_by = 'unknown' WHERE status = 'succeeded' AND external_id IS NULL;
