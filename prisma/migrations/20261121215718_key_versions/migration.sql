-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;
