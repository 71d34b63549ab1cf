-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "notify_emails_set_by" TEXT;

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "url_set_by" TEXT;
