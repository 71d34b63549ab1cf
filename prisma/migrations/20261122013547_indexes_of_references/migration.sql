-- CreateIndex
CREATE INDEX "platform_apps_workspace_id_profile_id_idx" ON "platform_apps"("workspace_id", "profile_id");

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_replaced_by_idx" ON "api_keys"("workspace_id", "replaced_by");

-- CreateIndex
CREATE INDEX "rate_limits_workspace_id_idx" ON "rate_limits"("workspace_id");

-- CreateIndex
CREATE INDEX "connect_sessions_workspace_id_reconnects_idx" ON "connect_sessions"("workspace_id", "reconnects");

-- CreateIndex
CREATE INDEX "quotes_workspace_id_connection_id_idx" ON "quotes"("workspace_id", "connection_id");

-- CreateIndex
CREATE INDEX "quotes_workspace_id_used_by_idx" ON "quotes"("workspace_id", "used_by");

-- CreateIndex
CREATE INDEX "refunds_workspace_id_quote_id_idx" ON "refunds"("workspace_id", "quote_id");

-- CreateIndex
CREATE INDEX "refund_ledgers_workspace_id_in_flight_idx" ON "refund_ledgers"("workspace_id", "in_flight");

-- CreateIndex
CREATE INDEX "audit_rows_workspace_id_action_created_at_id_idx" ON "audit_rows"("workspace_id", "action", "created_at", "id");

-- CreateIndex
CREATE INDEX "data_keys_workspace_id_idx" ON "data_keys"("workspace_id");
