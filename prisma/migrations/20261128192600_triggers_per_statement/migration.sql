-- Once per statement for all of its deliveries or metrics, in place of once per row.
DROP TRIGGER deliveries_made ON deliveries;
DROP TRIGGER deliveries_settled ON deliveries;
DROP FUNCTION delivery_changed();
DROP FUNCTION settle_status_of(text, text);
DROP FUNCTION invalidate_days_of_post(text, text);
CREATE FUNCTION settle_statuses(of_workspaces text[], of_posts text[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM posts WHERE id = ANY (of_posts) ORDER BY id FOR NO KEY UPDATE;
  UPDATE posts p SET settled_status = derived.status,
    queue_slot = CASE WHEN derived.status IN ('cancelled', 'failed', 'missed', 'deleted') THEN NULL ELSE p.queue_slot END
  FROM unnest(of_workspaces, of_posts) AS o (workspace_id, post_id) CROSS JOIN LATERAL (
    SELECT CASE
      WHEN bool_or(d.status = 'needs_review') THEN 'needs_review'
      WHEN bool_or(d.status = 'awaiting_approval') THEN 'awaiting_approval'
      WHEN bool_or(d.status IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')) THEN NULL
      WHEN bool_and(d.status = 'published') THEN 'published'
      WHEN bool_and(d.status = 'cancelled') THEN 'cancelled'
      WHEN bool_or(d.status = 'published' OR (d.status IN ('failed', 'missed') AND d.published_at IS NOT NULL))
        THEN 'partially_published'
      WHEN bool_or(d.status = 'failed') THEN 'failed'
      WHEN bool_or(d.status = 'missed') THEN 'missed'
      WHEN bool_or(d.status = 'deleted') THEN 'deleted'
      ELSE 'cancelled'
    END AS status
    FROM deliveries d WHERE d.workspace_id = o.workspace_id AND d.post_id = o.post_id
  ) AS derived
  WHERE p.id = ANY (of_posts) AND p.id = o.post_id AND p.workspace_id = o.workspace_id
    AND p.settled_status IS DISTINCT FROM derived.status;
END
$$;
CREATE FUNCTION delivery_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One that is new and still to come changes nothing of a post of which something is to come.
  IF NEW.status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')
    OR EXISTS (SELECT FROM posts p WHERE p.workspace_id = NEW.workspace_id AND p.id = NEW.post_id AND p.settled_status IS NOT NULL)
  THEN
    PERFORM settle_statuses(ARRAY[NEW.workspace_id], ARRAY[NEW.post_id]);
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION deliveries_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_statuses(array_agg(c.workspace_id), array_agg(c.post_id))
  FROM (
    SELECT DISTINCT workspace_id, post_id
    FROM (
      SELECT id, workspace_id, post_id, published_at IS NULL,
        CASE WHEN status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown') THEN status END
      FROM updated
      EXCEPT
      SELECT id, workspace_id, post_id, published_at IS NULL,
        CASE WHEN status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown') THEN status END
      FROM outdated
    ) AS changed
  ) AS c
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION deliveries_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_statuses(array_agg(g.workspace_id), array_agg(g.post_id))
  FROM (SELECT DISTINCT workspace_id, post_id FROM gone) AS g
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_made AFTER INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION delivery_inserted();
CREATE TRIGGER deliveries_settled AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS outdated NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION deliveries_settled();
CREATE FUNCTION invalidate_days_of_posts(of_workspaces text[], of_posts text[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM posts WHERE id = ANY (of_posts) ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT o.workspace_id, m.connection_id, (m.published_at AT TIME ZONE 'UTC')::date
    FROM unnest(of_workspaces, of_posts) AS o (workspace_id, post_id) CROSS JOIN LATERAL (
      SELECT connection_id, published_at FROM latest_metrics m
      WHERE m.workspace_id = o.workspace_id AND m.post_id = o.post_id AND m.delivery_id IS NOT NULL AND m.published_at IS NOT NULL
      OFFSET 0
    ) AS m;
END
$$;
CREATE OR REPLACE FUNCTION latest_metrics_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM invalidate_days_of_posts(array_agg(i.workspace_id), array_agg(i.post_id))
  FROM (SELECT DISTINCT workspace_id, post_id FROM inserted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL) AS i
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION latest_metrics_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Not by a join, whose plan for the few rows of the first calls would be kept for many.
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM (
      SELECT subject, workspace_id, connection_id, published_at, taken_at, impressions, reach, views, likes, comments, shares, saves, clicks
      FROM outdated WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL
      EXCEPT
      SELECT subject, workspace_id, connection_id, published_at, taken_at, impressions, reach, views, likes, comments, shares, saves, clicks
      FROM updated
    ) AS changed;
  PERFORM invalidate_days_of_posts(array_agg(m.workspace_id), array_agg(m.post_id))
  FROM (
    SELECT DISTINCT workspace_id, post_id
    FROM (
      SELECT subject, workspace_id, post_id, published_at FROM updated WHERE delivery_id IS NOT NULL
      EXCEPT
      SELECT subject, workspace_id, post_id, published_at FROM outdated
    ) AS changed
  ) AS m
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION latest_metrics_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM deleted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL;
  PERFORM invalidate_days_of_posts(array_agg(d.workspace_id), array_agg(d.post_id))
  FROM (SELECT DISTINCT workspace_id, post_id FROM deleted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL) AS d
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
