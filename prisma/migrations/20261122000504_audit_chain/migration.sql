-- DropIndex
DROP INDEX "audit_rows_workspace_id_id_idx";

-- AlterTable
ALTER TABLE "audit_rows" ADD COLUMN     "batch" TEXT,
ADD COLUMN     "count" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "prev_hash" BYTEA,
ADD COLUMN     "row_hash" BYTEA,
ADD COLUMN     "seq" BIGINT;

-- CreateTable
CREATE TABLE "audit_heads" (
    "workspace_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "row_hash" BYTEA NOT NULL,

    CONSTRAINT "audit_heads_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateIndex
CREATE INDEX "audit_rows_workspace_id_created_at_id_idx" ON "audit_rows"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_rows_workspace_id_actor_created_at_id_idx" ON "audit_rows"("workspace_id", "actor", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_rows_workspace_id_object_created_at_id_idx" ON "audit_rows"("workspace_id", "object", "created_at", "id");

-- The audit log: what waits for its seal, what still counts, and each chain in its order
CREATE INDEX audit_rows_unsealed_idx ON audit_rows (workspace_id, id) WHERE seq IS NULL;
CREATE UNIQUE INDEX audit_rows_batch_key ON audit_rows (workspace_id, batch) WHERE seq IS NULL AND batch IS NOT NULL;
CREATE UNIQUE INDEX audit_rows_seq_key ON audit_rows (workspace_id, seq) WHERE seq IS NOT NULL;
ALTER TABLE audit_rows ADD CONSTRAINT audit_rows_sealed_check CHECK (num_nulls(seq, prev_hash, row_hash) IN (0, 3));

-- Nothing that was written into it is changed or deleted. A row is counted up until it is sealed, and sealed once; a head
-- only moves on. What is left of a workspace that was deleted goes in a transaction that names it:
-- set_config('switchboard.purged_workspace', <its id>, true)
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.workspace_id = current_setting('switchboard.purged_workspace', true) THEN
      RETURN OLD;
    END IF;
  ELSIF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'audit_heads' THEN
    IF NEW.workspace_id = OLD.workspace_id AND NEW.seq > OLD.seq THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'UPDATE' THEN
    IF OLD.seq IS NULL AND (NEW.count = OLD.count OR (OLD.batch IS NOT NULL AND NEW.count > OLD.count))
      AND to_jsonb(NEW) - '{seq,prev_hash,row_hash,count}'::text[] = to_jsonb(OLD) - '{seq,prev_hash,row_hash,count}'::text[]
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is not changed: % of % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_rows_kept BEFORE UPDATE OR DELETE ON audit_rows FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_rows_not_emptied BEFORE TRUNCATE ON audit_rows FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_heads_kept BEFORE UPDATE OR DELETE ON audit_heads FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_heads_not_emptied BEFORE TRUNCATE ON audit_heads FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
