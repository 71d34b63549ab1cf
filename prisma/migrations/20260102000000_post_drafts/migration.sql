-- AlterTable
ALTER TABLE "posts" ADD COLUMN     "asked" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "draft" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "note" TEXT;

-- What was asked for an earlier post is what its deliveries say.
UPDATE posts p SET asked = jsonb_build_object(
  'targets', coalesce((
    SELECT jsonb_agg(
      jsonb_build_object('connectionId', d.connection_id, 'text', d.text, 'link', d.link, 'options', d.options) ORDER BY d.position
    )
    FROM deliveries d WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id
  ), '"all"'::jsonb),
  'scheduledAt', to_char(p.scheduled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'notAfter', to_char(p.not_after AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
);

-- AlterTable
ALTER TABLE "posts" ALTER COLUMN "asked" DROP DEFAULT,
ALTER COLUMN "draft" DROP DEFAULT;
