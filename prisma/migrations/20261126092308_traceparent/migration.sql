-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "traceparent" TEXT;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "traceparent" TEXT;
