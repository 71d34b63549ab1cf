CREATE INDEX "connections_workspace_id_platform_id_idx" ON "connections"("workspace_id", "platform", "id");
CREATE INDEX "connections_workspace_id_kind_id_idx" ON "connections"("workspace_id", "kind", "id");
CREATE INDEX "connections_workspace_id_status_id_idx" ON "connections"("workspace_id", "status", "id");
CREATE INDEX "connections_workspace_id_external_id_id_idx" ON "connections"("workspace_id", "external_id", "id");
CREATE INDEX "deliveries_workspace_id_platform_post_id_idx" ON "deliveries"("workspace_id", "platform", "post_id");
CREATE INDEX "refunds_workspace_id_order_external_id_id_idx" ON "refunds"("workspace_id", "order_external_id", "id");

-- Filters of lists. Metadata: hashes of the pairs of a row together with its workspace, so that equal pairs
-- of other workspaces are not found; a query compares the metadata itself as well. Written at once, not in a
-- pending list that every reader would scan.
CREATE FUNCTION metadata_terms(workspace_id text, metadata jsonb) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(hashtextextended(workspace_id || ' ' || key || ' ' || value, 0)) FROM jsonb_each_text(metadata)
$$;
CREATE INDEX posts_metadata_idx ON posts USING gin (metadata_terms(workspace_id, metadata)) WITH (fastupdate = off) WHERE metadata <> '{}';
CREATE INDEX connections_metadata_idx ON connections USING gin (metadata_terms(workspace_id, metadata)) WITH (fastupdate = off) WHERE metadata <> '{}';
CREATE STATISTICS posts_metadata_stats ON (metadata_terms(workspace_id, metadata)) FROM posts;
CREATE STATISTICS connections_metadata_stats ON (metadata_terms(workspace_id, metadata)) FROM connections;
CREATE INDEX posts_external_id_idx ON posts (workspace_id, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX deliveries_published_idx ON deliveries (workspace_id, published_at) WHERE published_at IS NOT NULL;
-- A value can be common in one workspace and rare in another
CREATE STATISTICS deliveries_platform_stats (mcv) ON workspace_id, platform FROM deliveries;
CREATE STATISTICS connections_filter_stats (mcv) ON workspace_id, platform, kind, status FROM connections;
