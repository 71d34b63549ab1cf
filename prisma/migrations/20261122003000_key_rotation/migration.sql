-- AlterTable
ALTER TABLE "data_keys" ADD COLUMN     "wrapped_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "key_holders" (
    "id" TEXT NOT NULL,
    "app" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "master_key_ids" TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_holders_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "data_keys_master_key_id_idx" ON "data_keys"("master_key_id");
