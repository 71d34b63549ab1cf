-- AlterTable
ALTER TABLE "key_holders" ADD COLUMN     "adapter_faults" JSONB NOT NULL DEFAULT '[]';
