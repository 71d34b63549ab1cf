-- CreateTable
CREATE TABLE "hour_sum_sets" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "connection_ids" TEXT[],
    "offset_seconds" INTEGER NOT NULL,
    "summed_from" DATE,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hour_sum_sets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hour_sums" (
    "set_id" BIGINT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "post_id" TEXT NOT NULL,
    "post_count" INTEGER NOT NULL,
    "measured_post_count" INTEGER NOT NULL,
    "rated_post_count" INTEGER NOT NULL,
    "engagements" DOUBLE PRECISION,
    "rated_impressions" DOUBLE PRECISION,
    "rated_engagements" DOUBLE PRECISION,

    CONSTRAINT "hour_sums_pkey" PRIMARY KEY ("workspace_id","set_id","starts_at","post_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "hour_sum_sets_workspace_id_id_key" ON "hour_sum_sets"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "hour_sum_sets_workspace_id_digest_key" ON "hour_sum_sets"("workspace_id", "digest");

-- AddForeignKey
ALTER TABLE "hour_sum_sets" ADD CONSTRAINT "hour_sum_sets_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hour_sums" ADD CONSTRAINT "hour_sums_workspace_id_set_id_fkey" FOREIGN KEY ("workspace_id", "set_id") REFERENCES "hour_sum_sets"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- A worker of a version without sums by hour deletes invalidated days as well, during a rolling upgrade: the hours of their
-- accounts are deleted, and summed again when a report requests them.
CREATE FUNCTION invalidated_metric_days_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('switchboard.sums_hours', true) IS DISTINCT FROM 'on' THEN
    DELETE FROM hour_sum_sets s USING deleted d
      WHERE s.workspace_id = d.workspace_id AND d.connection_id = ANY (s.connection_ids);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER invalidated_metric_days_deleted AFTER DELETE ON invalidated_metric_days REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION invalidated_metric_days_deleted();
