-- CreateTable
CREATE TABLE "rate_limits" (
    "lineage" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "taken" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("lineage")
);

-- CreateIndex
CREATE INDEX "rate_limits_ends_at_idx" ON "rate_limits"("ends_at");

-- AddForeignKey
ALTER TABLE "rate_limits" ADD CONSTRAINT "rate_limits_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whoever remembers a key hears of it when it is changed, revoked or deleted, and the change is committed.
-- Prisma's adapter cuts a script at every semicolon, wherever it stands: in here they are written as \073.
CREATE FUNCTION tell_of_key() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN PERFORM pg_notify(\'switchboard_keys\', OLD.public_id)\073 RETURN NULL\073 END';
CREATE TRIGGER api_keys_changed AFTER UPDATE OF workspace_id, public_id, lineage, name, scopes, policy, hash, revoked_at, replaced_by, version ON api_keys
  FOR EACH ROW EXECUTE FUNCTION tell_of_key();
CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION tell_of_key();

-- Counted anew after a crash: no disk waits for it
ALTER TABLE rate_limits SET UNLOGGED;
