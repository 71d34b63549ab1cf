-- AlterTable
ALTER TABLE "posts" ADD COLUMN     "queue_slot" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "posting_queues" (
    "workspace_id" TEXT NOT NULL,
    "profile_id" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "slots" JSONB NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "posting_queues_pkey" PRIMARY KEY ("workspace_id","profile_id")
);

-- AddForeignKey
ALTER TABLE "posting_queues" ADD CONSTRAINT "posting_queues_workspace_id_profile_id_fkey" FOREIGN KEY ("workspace_id", "profile_id") REFERENCES "profiles"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Two posts never take the same slot of a queue.
CREATE UNIQUE INDEX posts_queue_slot_key ON posts (workspace_id, profile_id, queue_slot) WHERE queue_slot IS NOT NULL;

CREATE OR REPLACE FUNCTION settle_status_of(of_workspace text, of_post text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM posts p WHERE p.workspace_id = of_workspace AND p.id = of_post FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE posts p SET settled_status = derived.status,
    queue_slot = CASE WHEN derived.status IN ('cancelled', 'failed', 'missed', 'deleted') THEN NULL ELSE p.queue_slot END
  FROM (
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
    FROM deliveries d WHERE d.workspace_id = of_workspace AND d.post_id = of_post
  ) AS derived
  WHERE p.workspace_id = of_workspace AND p.id = of_post AND p.settled_status IS DISTINCT FROM derived.status;
END
$$;
