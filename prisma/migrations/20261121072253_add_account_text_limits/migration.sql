-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "account_text_limits" JSONB;
