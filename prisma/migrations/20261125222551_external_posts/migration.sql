-- Posts made elsewhere have metrics as well.
-- AlterTable
ALTER TABLE "snapshots" ADD COLUMN     "external_post_id" TEXT;

-- AlterTable
ALTER TABLE "latest_metrics" ADD COLUMN     "external_post_id" TEXT;

-- CreateTable
CREATE TABLE "external_posts" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,
    "url" TEXT,
    "text" TEXT NOT NULL,

    CONSTRAINT "external_posts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "post_listings" (
    "connection_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "listed_at" TIMESTAMPTZ(3),
    "known_since" TIMESTAMPTZ(3),
    "resume_cursor" TEXT,
    "listed_count" INTEGER NOT NULL DEFAULT 0,
    "limited" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "post_listings_pkey" PRIMARY KEY ("connection_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "external_posts_workspace_id_id_key" ON "external_posts"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "external_posts_workspace_id_connection_id_external_id_key" ON "external_posts"("workspace_id", "connection_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "post_listings_workspace_id_connection_id_key" ON "post_listings"("workspace_id", "connection_id");

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_workspace_id_external_post_id_fkey" FOREIGN KEY ("workspace_id", "external_post_id") REFERENCES "external_posts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_posts" ADD CONSTRAINT "external_posts_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "post_listings" ADD CONSTRAINT "post_listings_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_workspace_id_external_post_id_fkey" FOREIGN KEY ("workspace_id", "external_post_id") REFERENCES "external_posts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Values
ALTER TABLE snapshots DROP CONSTRAINT snapshots_subject_check;
ALTER TABLE latest_metrics DROP CONSTRAINT latest_metrics_subject_check;
ALTER TABLE snapshots ADD CONSTRAINT snapshots_subject_check CHECK (subject = coalesce(delivery_id, external_post_id, connection_id));
ALTER TABLE latest_metrics ADD CONSTRAINT latest_metrics_subject_check CHECK (subject = coalesce(delivery_id, external_post_id, connection_id));
CREATE INDEX snapshots_external_post_idx ON snapshots (workspace_id, external_post_id) WHERE external_post_id IS NOT NULL;
CREATE INDEX latest_metrics_external_post_idx ON latest_metrics (workspace_id, external_post_id) WHERE external_post_id IS NOT NULL;
CREATE INDEX deliveries_external_id_idx ON deliveries (workspace_id, connection_id, external_id) WHERE external_id IS NOT NULL;

-- An external post is read within a day: many are listed at once.
CREATE FUNCTION schedule_external_post_metrics() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, external_post_id, post_id, published_at, next_read_at)
      VALUES (NEW.id, NEW.workspace_id, NEW.connection_id, NEW.id, NEW.id, NEW.published_at,
        CASE WHEN NEW.published_at > now() - interval \'90 days\' THEN now() + random() * interval \'1 day\' END)\073
    RETURN NULL\073
  END';
CREATE TRIGGER external_posts_metrics AFTER INSERT ON external_posts FOR EACH ROW
  EXECUTE FUNCTION schedule_external_post_metrics();
