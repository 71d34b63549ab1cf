-- CreateIndex
CREATE INDEX "refunds_workspace_id_status_id_idx" ON "refunds"("workspace_id", "status", "id");

CREATE INDEX deliveries_in_review_idx ON deliveries (workspace_id, id) WHERE status = 'needs_review';
CREATE INDEX deliveries_missed_idx ON deliveries (workspace_id, post_id, not_after) WHERE status = 'missed';
