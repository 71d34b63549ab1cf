-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "notify_emails" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "notifications" (
    "workspace_id" TEXT NOT NULL,
    "next_check_at" TIMESTAMPTZ(3) NOT NULL,
    "items" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("workspace_id")
);

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
