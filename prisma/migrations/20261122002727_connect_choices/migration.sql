-- AlterTable
ALTER TABLE "connect_sessions" ADD COLUMN     "locale" TEXT,
ADD COLUMN     "max_connections" INTEGER;

-- CreateTable
CREATE TABLE "connect_choices" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "sealed_login" BYTEA NOT NULL,
    "accounts" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connect_choices_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "connect_choices_workspace_id_session_id_idx" ON "connect_choices"("workspace_id", "session_id");

-- CreateIndex
CREATE INDEX "connect_choices_expires_at_idx" ON "connect_choices"("expires_at");

-- AddForeignKey
ALTER TABLE "connect_choices" ADD CONSTRAINT "connect_choices_workspace_id_session_id_fkey" FOREIGN KEY ("workspace_id", "session_id") REFERENCES "connect_sessions"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
