-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "warned_days" INTEGER;

-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "attempt" TEXT,
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "granted_as" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "next_attempt_at" TIMESTAMPTZ(3),
ADD COLUMN     "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "refresh_receipts" (
    "attempt" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,
    "access_expires_at" TIMESTAMPTZ(3),
    "permissions" TEXT[],
    "profile_id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "server" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refresh_receipts_pkey" PRIMARY KEY ("attempt")
);

-- CreateIndex
CREATE INDEX "refresh_receipts_workspace_id_connection_id_idx" ON "refresh_receipts"("workspace_id", "connection_id");

-- AddForeignKey
ALTER TABLE "refresh_receipts" ADD CONSTRAINT "refresh_receipts_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What is due
CREATE INDEX credentials_ending_idx ON credentials (access_expires_at) WHERE access_expires_at IS NOT NULL;
