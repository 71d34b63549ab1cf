-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "watch_orders" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "order_watches" (
    "connection_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "baselined" BOOLEAN NOT NULL DEFAULT false,
    "position" TIMESTAMPTZ(3) NOT NULL,
    "reading" JSONB,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_sweep_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_poll_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "order_watches_pkey" PRIMARY KEY ("connection_id")
);

-- CreateTable
CREATE TABLE "watched_orders" (
    "connection_id" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "digests" TEXT[],
    "reported" BOOLEAN NOT NULL,

    CONSTRAINT "watched_orders_pkey" PRIMARY KEY ("connection_id","external_id")
);

-- CreateIndex
CREATE INDEX "order_watches_next_poll_at_idx" ON "order_watches"("next_poll_at");

-- CreateIndex
CREATE UNIQUE INDEX "order_watches_workspace_id_connection_id_key" ON "order_watches"("workspace_id", "connection_id");

-- CreateIndex
CREATE INDEX "watched_orders_workspace_id_connection_id_idx" ON "watched_orders"("workspace_id", "connection_id");

-- AddForeignKey
ALTER TABLE "order_watches" ADD CONSTRAINT "order_watches_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "watched_orders" ADD CONSTRAINT "watched_orders_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "order_watches"("workspace_id", "connection_id") ON DELETE CASCADE ON UPDATE NO ACTION;
