-- Nothing is connected or published between filling the table and creating the triggers that maintain it.
LOCK TABLE connections, deliveries IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "snapshots" ADD COLUMN     "thinned" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "latest_metrics" (
    "subject" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "delivery_id" TEXT,
    "post_id" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "taken_at" TIMESTAMPTZ(3),
    "next_read_at" TIMESTAMPTZ(3),
    "impressions" BIGINT,
    "reach" BIGINT,
    "views" BIGINT,
    "likes" BIGINT,
    "comments" BIGINT,
    "shares" BIGINT,
    "saves" BIGINT,
    "clicks" BIGINT,
    "followers" BIGINT,

    CONSTRAINT "latest_metrics_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE INDEX "latest_metrics_workspace_id_connection_id_published_at_idx" ON "latest_metrics"("workspace_id", "connection_id", "published_at");

-- CreateIndex
CREATE INDEX "latest_metrics_workspace_id_delivery_id_idx" ON "latest_metrics"("workspace_id", "delivery_id");

-- AddForeignKey
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_workspace_id_delivery_id_fkey" FOREIGN KEY ("workspace_id", "delivery_id") REFERENCES "deliveries"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Values and due work
ALTER TABLE latest_metrics ADD CONSTRAINT latest_metrics_subject_check CHECK (subject = coalesce(delivery_id, connection_id));
CREATE INDEX latest_metrics_due_idx ON latest_metrics (next_read_at) WHERE next_read_at IS NOT NULL;
CREATE INDEX latest_metrics_due_by_connection_idx ON latest_metrics (connection_id, next_read_at) WHERE next_read_at IS NOT NULL;
CREATE INDEX snapshots_raw_idx ON snapshots (hour) WHERE NOT thinned;

-- Schedules the reading of metrics for every social account and published delivery. Prisma's adapter cuts a
-- script at every semicolon, wherever it occurs: in here they are written as \073.
CREATE FUNCTION schedule_account_metrics() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, next_read_at)
      VALUES (NEW.id, NEW.workspace_id, NEW.id, now()) ON CONFLICT (subject) DO NOTHING\073
    RETURN NULL\073
  END';
CREATE TRIGGER connections_metrics AFTER INSERT ON connections FOR EACH ROW WHEN (NEW.kind = 'social')
  EXECUTE FUNCTION schedule_account_metrics();
CREATE FUNCTION schedule_delivery_metrics() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    IF NEW.status = \'published\' THEN
      INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, next_read_at)
        VALUES (NEW.id, NEW.workspace_id, NEW.connection_id, NEW.id, NEW.post_id, NEW.published_at, NEW.published_at + interval \'1 hour\')
        ON CONFLICT (subject) DO UPDATE SET published_at = excluded.published_at, next_read_at = excluded.next_read_at\073
    ELSE
      UPDATE latest_metrics SET published_at = NULL, next_read_at = NULL WHERE subject = NEW.id\073
    END IF\073
    RETURN NULL\073
  END';
CREATE TRIGGER deliveries_metrics_inserted AFTER INSERT ON deliveries FOR EACH ROW
  WHEN (NEW.status = 'published') EXECUTE FUNCTION schedule_delivery_metrics();
CREATE TRIGGER deliveries_metrics_updated AFTER UPDATE OF status, published_at ON deliveries FOR EACH ROW
  WHEN ((OLD.status = 'published') IS DISTINCT FROM (NEW.status = 'published')
    OR (NEW.status = 'published' AND OLD.published_at IS DISTINCT FROM NEW.published_at))
  EXECUTE FUNCTION schedule_delivery_metrics();

-- What was read before, due at random times within the interval of its age, so that not all is due at once.
INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, next_read_at, taken_at,
  impressions, reach, views, likes, comments, shares, saves, clicks, followers)
SELECT known.subject, known.workspace_id, known.connection_id, known.delivery_id, known.post_id, known.published_at,
  now() + random() * known.every, s.taken_at, (s.metrics ->> 'impressions')::bigint, (s.metrics ->> 'reach')::bigint,
  (s.metrics ->> 'views')::bigint, (s.metrics ->> 'likes')::bigint, (s.metrics ->> 'comments')::bigint,
  (s.metrics ->> 'shares')::bigint, (s.metrics ->> 'saves')::bigint, (s.metrics ->> 'clicks')::bigint,
  (s.metrics ->> 'followers')::bigint
FROM (
  SELECT id AS subject, workspace_id, id AS connection_id, NULL::text AS delivery_id, NULL::text AS post_id,
    NULL::timestamptz AS published_at, CASE WHEN deleted_at IS NULL THEN interval '1 day' END AS every
  FROM connections WHERE kind = 'social'
  UNION ALL
  SELECT id, workspace_id, connection_id, id, post_id, published_at,
    CASE WHEN published_at > now() - interval '1 day' THEN interval '1 hour'
      WHEN published_at > now() - interval '7 days' THEN interval '6 hours'
      WHEN published_at > now() - interval '30 days' THEN interval '1 day'
      WHEN published_at > now() - interval '90 days' THEN interval '7 days' END
  FROM deliveries WHERE status = 'published'
) AS known
LEFT JOIN LATERAL (SELECT * FROM snapshots WHERE subject = known.subject ORDER BY hour DESC LIMIT 1) AS s ON true;
