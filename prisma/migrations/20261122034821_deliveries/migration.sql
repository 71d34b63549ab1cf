-- AlterTable
ALTER TABLE "connect_flows" ADD COLUMN     "delivery_hash" BYTEA,
ADD COLUMN     "sealed_delivery" BYTEA;

-- CreateIndex
CREATE UNIQUE INDEX "connect_flows_delivery_hash_key" ON "connect_flows"("delivery_hash");
