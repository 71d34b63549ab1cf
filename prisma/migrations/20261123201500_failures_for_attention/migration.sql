-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "refused_permissions" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE INDEX deliveries_failed_idx ON deliveries (workspace_id, post_id, not_after) WHERE status = 'failed';
CREATE INDEX deliveries_media_failed_idx ON deliveries (workspace_id, post_id)
  WHERE status IN ('pending', 'retrying', 'blocked') AND error ->> 'code' = 'media.failed';
