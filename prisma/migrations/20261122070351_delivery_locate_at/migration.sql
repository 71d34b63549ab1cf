-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "locate_at" TIMESTAMPTZ(3);

CREATE INDEX deliveries_to_locate_idx ON deliveries (locate_at) WHERE status = 'published' AND locate_at IS NOT NULL;
