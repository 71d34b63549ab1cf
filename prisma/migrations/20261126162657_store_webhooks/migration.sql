-- CreateTable
CREATE TABLE "store_webhooks" (
    "connection_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "sealed_secret" BYTEA,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "external_ids" TEXT[],
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "store_webhooks_pkey" PRIMARY KEY ("connection_id")
);

-- CreateTable
CREATE TABLE "store_webhook_deliveries" (
    "connection_id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "store_webhook_deliveries_pkey" PRIMARY KEY ("connection_id","delivery_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "store_webhooks_address_key" ON "store_webhooks"("address");

-- CreateIndex
CREATE INDEX "store_webhooks_next_attempt_at_idx" ON "store_webhooks"("next_attempt_at");

-- CreateIndex
CREATE UNIQUE INDEX "store_webhooks_workspace_id_connection_id_key" ON "store_webhooks"("workspace_id", "connection_id");

-- CreateIndex
CREATE INDEX "store_webhook_deliveries_workspace_id_connection_id_idx" ON "store_webhook_deliveries"("workspace_id", "connection_id");

-- CreateIndex
CREATE INDEX "store_webhook_deliveries_received_at_idx" ON "store_webhook_deliveries"("received_at");

-- AddForeignKey
ALTER TABLE "store_webhooks" ADD CONSTRAINT "store_webhooks_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "store_webhook_deliveries" ADD CONSTRAINT "store_webhook_deliveries_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "store_webhooks"("workspace_id", "connection_id") ON DELETE CASCADE ON UPDATE NO ACTION;
