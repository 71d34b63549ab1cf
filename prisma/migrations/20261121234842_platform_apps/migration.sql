-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "platform_apps" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "profile_id" TEXT,
    "owner" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "generation" INTEGER NOT NULL,

    CONSTRAINT "platform_apps_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "platform_apps_workspace_id_platform_client_id_idx" ON "platform_apps"("workspace_id", "platform", "client_id");

-- CreateIndex
CREATE UNIQUE INDEX "platform_apps_workspace_id_platform_owner_key" ON "platform_apps"("workspace_id", "platform", "owner");

-- AddForeignKey
ALTER TABLE "platform_apps" ADD CONSTRAINT "platform_apps_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "platform_apps" ADD CONSTRAINT "platform_apps_workspace_id_profile_id_fkey" FOREIGN KEY ("workspace_id", "profile_id") REFERENCES "profiles"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE platform_apps ADD CONSTRAINT platform_apps_owner_check CHECK (owner = coalesce(profile_id, workspace_id));
