-- DropIndex
DROP INDEX "audit_rows_workspace_id_actor_created_at_id_idx";

-- CreateIndex
CREATE INDEX "audit_rows_workspace_id_actor_created_at_id_action_idx" ON "audit_rows"("workspace_id", "actor", "created_at", "id", "action");
