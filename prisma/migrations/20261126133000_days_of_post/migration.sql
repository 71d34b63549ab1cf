-- The rows of a post are found by latest_metrics_post_idx, which contains deliveries only.
CREATE OR REPLACE FUNCTION invalidate_days_of_post(of_workspace text, of_post text) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM posts p WHERE p.workspace_id = of_workspace AND p.id = of_post FOR NO KEY UPDATE;
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT m.workspace_id, m.connection_id, (m.published_at AT TIME ZONE 'UTC')::date
    FROM latest_metrics m WHERE m.workspace_id = of_workspace AND m.post_id = of_post AND m.delivery_id IS NOT NULL
      AND m.published_at IS NOT NULL;
END
$$;
