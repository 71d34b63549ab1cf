-- AlterTable
ALTER TABLE "posts" ADD COLUMN "approval" JSONB;

-- AlterTable
ALTER TABLE "refunds" ADD COLUMN "approval" JSONB,
ADD COLUMN "first_sent_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "approvals" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "post_id" TEXT,
    "refund_id" TEXT,
    "digests" JSONB NOT NULL,
    "refund_preview" JSONB,
    "requested_by" TEXT NOT NULL,
    "requesters" TEXT[],
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "note" TEXT,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "approvals_workspace_id_status_id_idx" ON "approvals"("workspace_id", "status", "id");

-- CreateIndex
CREATE INDEX "approvals_workspace_id_post_id_id_idx" ON "approvals"("workspace_id", "post_id", "id");

-- CreateIndex
CREATE INDEX "approvals_workspace_id_refund_id_id_idx" ON "approvals"("workspace_id", "refund_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "approvals_workspace_id_id_key" ON "approvals"("workspace_id", "id");

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_workspace_id_post_id_fkey" FOREIGN KEY ("workspace_id", "post_id") REFERENCES "posts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_workspace_id_refund_id_fkey" FOREIGN KEY ("workspace_id", "refund_id") REFERENCES "refunds"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- The time of the first sending of refunds that were sent before it was stored
UPDATE refunds SET first_sent_at = created_at WHERE sent_at IS NOT NULL;

-- Values
ALTER TABLE deliveries DROP CONSTRAINT deliveries_status_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK (status IN ('awaiting_approval', 'pending', 'sending', 'published', 'failed', 'retrying', 'blocked', 'unknown', 'needs_review', 'missed', 'cancelled', 'deleted'));
ALTER TABLE posts DROP CONSTRAINT posts_settled_status_check;
ALTER TABLE posts ADD CONSTRAINT posts_settled_status_check CHECK (settled_status IN ('awaiting_approval', 'needs_review', 'published', 'partially_published', 'failed', 'missed', 'cancelled', 'deleted'));
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check CHECK (kind IN ('post', 'refund') AND (kind = 'post') = (post_id IS NOT NULL) AND (kind = 'refund') = (refund_id IS NOT NULL));
ALTER TABLE approvals ADD CONSTRAINT approvals_status_check CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'withdrawn') AND (status = 'pending') = (decided_at IS NULL));

-- One pending decision for a post or a refund
CREATE UNIQUE INDEX approvals_pending_post_key ON approvals (workspace_id, post_id) WHERE status = 'pending' AND post_id IS NOT NULL;
CREATE UNIQUE INDEX approvals_pending_refund_key ON approvals (workspace_id, refund_id) WHERE status = 'pending' AND refund_id IS NOT NULL;

-- Due work
CREATE INDEX deliveries_awaiting_idx ON deliveries (workspace_id, connection_id) WHERE status = 'awaiting_approval';
CREATE INDEX approvals_expiring_idx ON approvals (expires_at) WHERE status = 'pending';
CREATE INDEX refunds_unsent_idx ON refunds (workspace_id) WHERE status = 'awaiting_approval' OR (status = 'pending' AND sent_at IS NULL);

-- Posts by status
CREATE OR REPLACE FUNCTION settle_status_of(of_workspace text, of_post text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM posts p WHERE p.workspace_id = of_workspace AND p.id = of_post FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE posts p SET settled_status = derived.status
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

-- The state of the latest approval, in the row of its post or refund: read with it, at no cost.
CREATE FUNCTION approval_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  state jsonb := jsonb_build_object('id', NEW.id, 'status', NEW.status, 'requestedAt', NEW.requested_at,
    'expiresAt', NEW.expires_at, 'decidedBy', NEW.decided_by, 'decidedAt', NEW.decided_at, 'note', NEW.note);
BEGIN
  UPDATE posts SET approval = state WHERE workspace_id = NEW.workspace_id AND id = NEW.post_id
    AND (TG_OP = 'INSERT' OR approval ->> 'id' = NEW.id);
  UPDATE refunds SET approval = state WHERE workspace_id = NEW.workspace_id AND id = NEW.refund_id
    AND (TG_OP = 'INSERT' OR approval ->> 'id' = NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER approvals_state AFTER INSERT OR UPDATE OF status, decided_by, decided_at, note ON approvals
  FOR EACH ROW EXECUTE FUNCTION approval_changed();
