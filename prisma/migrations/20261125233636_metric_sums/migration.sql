-- Nothing is published or read between the invalidation of all days and the creation of the triggers.
LOCK TABLE deliveries, latest_metrics IN SHARE ROW EXCLUSIVE MODE;

-- CreateTable
CREATE TABLE "metric_sums" (
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "is_month" BOOLEAN NOT NULL,
    "starts_on" DATE NOT NULL,
    "position" INTEGER NOT NULL,
    "post_count" INTEGER NOT NULL,
    "unread_count" INTEGER NOT NULL,
    "first_published_at" TIMESTAMPTZ(3) NOT NULL,
    "oldest_taken_at" TIMESTAMPTZ(3),
    "impressions" DOUBLE PRECISION,
    "reach" DOUBLE PRECISION,
    "views" DOUBLE PRECISION,
    "likes" DOUBLE PRECISION,
    "comments" DOUBLE PRECISION,
    "shares" DOUBLE PRECISION,
    "saves" DOUBLE PRECISION,
    "clicks" DOUBLE PRECISION,
    "engagements" DOUBLE PRECISION,
    "rated_impressions" DOUBLE PRECISION,
    "rated_engagements" DOUBLE PRECISION,
    "earlier_connection_ids" TEXT[],
    "earlier_published_at" TIMESTAMPTZ(3)[],

    CONSTRAINT "metric_sums_pkey" PRIMARY KEY ("workspace_id","connection_id","is_month","starts_on","position")
);

-- CreateTable
CREATE TABLE "invalidated_metric_days" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "day" DATE NOT NULL,

    CONSTRAINT "invalidated_metric_days_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "invalidated_metric_days_workspace_id_connection_id_day_idx" ON "invalidated_metric_days"("workspace_id", "connection_id", "day");

-- AddForeignKey
ALTER TABLE "metric_sums" ADD CONSTRAINT "metric_sums_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE INDEX latest_metrics_post_idx ON latest_metrics (workspace_id, post_id) INCLUDE (connection_id, published_at) WHERE delivery_id IS NOT NULL;
CREATE INDEX latest_metrics_external_idx ON latest_metrics (workspace_id, connection_id, published_at) WHERE external_post_id IS NOT NULL;

-- Once for all deliveries that a statement inserts or settles.
DROP TRIGGER deliveries_metrics_inserted ON deliveries;
DROP TRIGGER deliveries_metrics_updated ON deliveries;
CREATE OR REPLACE FUNCTION schedule_delivery_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM inserted WHERE status = 'published') THEN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, next_read_at)
      SELECT id, workspace_id, connection_id, id, post_id, published_at, published_at + interval '1 hour'
      FROM inserted WHERE status = 'published' ORDER BY id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_metrics_inserted AFTER INSERT ON deliveries REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION schedule_delivery_metrics();
CREATE FUNCTION schedule_settled_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM updated WHERE status = 'published') THEN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, next_read_at)
      SELECT id, workspace_id, connection_id, id, post_id, published_at, published_at + interval '1 hour'
      FROM (
        SELECT id, workspace_id, connection_id, post_id, published_at FROM updated WHERE status = 'published'
        EXCEPT
        SELECT id, workspace_id, connection_id, post_id, published_at FROM outdated WHERE status = 'published'
      ) AS published
      ORDER BY id
      ON CONFLICT (subject) DO UPDATE SET published_at = excluded.published_at, next_read_at = excluded.next_read_at;
  END IF;
  IF EXISTS (SELECT FROM outdated WHERE status = 'published') THEN
    UPDATE latest_metrics SET published_at = NULL, next_read_at = NULL WHERE subject IN (
      SELECT id FROM outdated WHERE status = 'published' EXCEPT SELECT id FROM updated WHERE status = 'published');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_metrics_updated AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS outdated NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION schedule_settled_metrics();

-- The days of accounts whose sums in metric_sums are outdated (packages/persistence/src/metric-sums.ts), in the
-- transaction of the change: a reader sees both or neither. A post that is published or withdrawn on one account
-- changes where it counts on the others. It is locked first: of two transactions that publish one post on two
-- accounts, the second sees what the first has written. Without sequential scans: a session keeps the plan that it
-- made when the tables were small.
CREATE FUNCTION invalidate_days_of_post(of_workspace text, of_post text) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM posts p WHERE p.workspace_id = of_workspace AND p.id = of_post FOR NO KEY UPDATE;
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT m.workspace_id, m.connection_id, (m.published_at AT TIME ZONE 'UTC')::date
    FROM latest_metrics m WHERE m.workspace_id = of_workspace AND m.post_id = of_post AND m.published_at IS NOT NULL;
END
$$;
CREATE FUNCTION latest_metrics_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM invalidate_days_of_post(i.workspace_id, i.post_id)
  FROM (SELECT DISTINCT workspace_id, post_id FROM inserted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL ORDER BY post_id) AS i;
  RETURN NULL;
END
$$;
CREATE TRIGGER latest_metrics_inserted AFTER INSERT ON latest_metrics REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION latest_metrics_inserted();
CREATE FUNCTION latest_metrics_updated() RETURNS trigger LANGUAGE plpgsql AS $$
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
  PERFORM invalidate_days_of_post(m.workspace_id, m.post_id)
  FROM (
    SELECT DISTINCT workspace_id, post_id
    FROM (
      SELECT subject, workspace_id, post_id, published_at FROM updated WHERE delivery_id IS NOT NULL
      EXCEPT
      SELECT subject, workspace_id, post_id, published_at FROM outdated
    ) AS changed
    ORDER BY post_id
  ) AS m;
  RETURN NULL;
END
$$;
CREATE TRIGGER latest_metrics_updated AFTER UPDATE ON latest_metrics REFERENCING OLD TABLE AS outdated NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION latest_metrics_updated();
CREATE FUNCTION latest_metrics_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM deleted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL;
  PERFORM invalidate_days_of_post(d.workspace_id, d.post_id)
  FROM (SELECT DISTINCT workspace_id, post_id FROM deleted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL ORDER BY post_id) AS d;
  RETURN NULL;
END
$$;
CREATE TRIGGER latest_metrics_deleted AFTER DELETE ON latest_metrics REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION latest_metrics_deleted();

-- What was published before: a worker sums it, and reports read the posts until then.
INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
  SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
  FROM latest_metrics WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL;
