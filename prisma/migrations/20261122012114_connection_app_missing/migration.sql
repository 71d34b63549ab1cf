-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "app_missing" BOOLEAN NOT NULL DEFAULT false;
