CREATE INDEX "events_workspace_id_created_at_seq_idx" ON "events"("workspace_id", "created_at", "seq");
