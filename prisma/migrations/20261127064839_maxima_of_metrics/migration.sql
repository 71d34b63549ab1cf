-- AlterTable
ALTER TABLE "metric_sums" ADD COLUMN     "first_post_id" TEXT,
ADD COLUMN     "last_post_id" TEXT,
ADD COLUMN     "max_clicks" DOUBLE PRECISION,
ADD COLUMN     "max_comments" DOUBLE PRECISION,
ADD COLUMN     "max_delivery_count" INTEGER,
ADD COLUMN     "max_engagement_rate" DOUBLE PRECISION,
ADD COLUMN     "max_engagements" DOUBLE PRECISION,
ADD COLUMN     "max_impressions" DOUBLE PRECISION,
ADD COLUMN     "max_likes" DOUBLE PRECISION,
ADD COLUMN     "max_reach" DOUBLE PRECISION,
ADD COLUMN     "max_saves" DOUBLE PRECISION,
ADD COLUMN     "max_shares" DOUBLE PRECISION,
ADD COLUMN     "max_views" DOUBLE PRECISION;

-- Until a worker has summed these days again, reports read their posts.
INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
  SELECT DISTINCT workspace_id, connection_id, starts_on FROM metric_sums WHERE NOT is_month;
