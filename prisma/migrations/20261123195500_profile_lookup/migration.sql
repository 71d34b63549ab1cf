-- AlterTable
ALTER TABLE "profiles" ADD COLUMN     "is_timezone_set" BOOLEAN NOT NULL DEFAULT false;
-- UTC is the built-in default: every other time zone was chosen.
UPDATE profiles SET is_timezone_set = true WHERE timezone <> 'UTC';

-- CreateIndex
CREATE INDEX "profiles_workspace_id_external_id_idx" ON "profiles"("workspace_id", "external_id");

CREATE INDEX profiles_name_idx ON profiles (workspace_id, lower(name));
