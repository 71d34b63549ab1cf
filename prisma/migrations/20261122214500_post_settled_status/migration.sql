-- Nothing settles between what is written into the new column and the trigger that keeps it.
LOCK TABLE deliveries IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "posts" ADD COLUMN     "settled_status" TEXT;

-- The rule of `posts/post-status.ts`, as far as it does not depend on the time. The post is locked first: the statement
-- after that sees what others who changed its deliveries have committed.
CREATE FUNCTION settle_status_of(of_workspace text, of_post text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM posts p WHERE p.workspace_id = of_workspace AND p.id = of_post FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE posts p SET settled_status = derived.status
  FROM (
    SELECT CASE
      WHEN bool_or(d.status = 'needs_review') THEN 'needs_review'
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
    FROM deliveries d WHERE d.workspace_id = of_workspace AND d.post_id = of_post
  ) AS derived
  WHERE p.workspace_id = of_workspace AND p.id = of_post AND p.settled_status IS DISTINCT FROM derived.status;
END
$$;
CREATE FUNCTION delivery_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One that is new and still to come changes nothing of a post of which something is to come.
  IF TG_OP = 'UPDATE' OR NEW.status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')
    OR EXISTS (SELECT FROM posts p WHERE p.workspace_id = NEW.workspace_id AND p.id = NEW.post_id AND p.settled_status IS NOT NULL)
  THEN
    PERFORM settle_status_of(NEW.workspace_id, NEW.post_id);
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION deliveries_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_status_of(g.workspace_id, g.post_id)
  FROM (SELECT DISTINCT workspace_id, post_id FROM gone ORDER BY workspace_id, post_id) AS g
  WHERE EXISTS (SELECT FROM posts p WHERE p.workspace_id = g.workspace_id AND p.id = g.post_id);
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_made AFTER INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION delivery_changed();
CREATE TRIGGER deliveries_settled AFTER UPDATE OF status, published_at ON deliveries FOR EACH ROW
  WHEN ((OLD.status, OLD.published_at IS NULL) IS DISTINCT FROM (NEW.status, NEW.published_at IS NULL)
    AND NOT (OLD.status IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')
      AND NEW.status IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')))
  EXECUTE FUNCTION delivery_changed();
-- Those that go with their post change nothing of it.
CREATE TRIGGER deliveries_gone AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION deliveries_gone();

UPDATE posts p SET settled_status = derived.status
FROM (
  SELECT d.workspace_id, d.post_id, CASE
      WHEN bool_or(d.status = 'needs_review') THEN 'needs_review'
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
  FROM deliveries d GROUP BY d.workspace_id, d.post_id
) AS derived
WHERE p.workspace_id = derived.workspace_id AND p.id = derived.post_id AND derived.status IS NOT NULL;
UPDATE posts p SET settled_status = 'cancelled'
WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id);

ALTER TABLE posts ADD CONSTRAINT posts_settled_status_check CHECK (settled_status IN ('needs_review', 'published', 'partially_published', 'failed', 'missed', 'cancelled', 'deleted'));
-- Posts by their status; of an open one something is still to come, and whether that has begun depends on the time
CREATE INDEX posts_status_idx ON posts (workspace_id, (CASE WHEN draft THEN 'draft' ELSE coalesce(settled_status, 'open') END), id);
CREATE INDEX posts_status_by_time_idx ON posts (workspace_id, (CASE WHEN draft THEN 'draft' ELSE coalesce(settled_status, 'open') END), scheduled_at, id);
DROP INDEX deliveries_unsent_idx;
CREATE INDEX deliveries_unsent_idx ON deliveries (workspace_id, connection_id, coalesce(next_attempt_at, scheduled_at))
  INCLUDE (next_attempt_at, scheduled_at) WHERE status IN ('pending', 'retrying', 'blocked');
CREATE INDEX deliveries_pending_idx ON deliveries (workspace_id, (CASE WHEN status = 'pending' THEN scheduled_at END)) WHERE status = 'pending';
CREATE STATISTICS deliveries_pending_stats ON (CASE WHEN status = 'pending' THEN scheduled_at END) FROM deliveries;
CREATE INDEX deliveries_begun_idx ON deliveries (workspace_id, post_id) WHERE status IN ('sending', 'retrying', 'blocked', 'unknown');

-- Until it knows how the new expressions are distributed, the planner guesses that a third of all rows fit.
ANALYZE posts, deliveries;
