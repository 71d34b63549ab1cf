-- CreateTable
CREATE TABLE "dismissals" (
    "workspace_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "dismissed_by" TEXT NOT NULL,
    "dismissed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dismissals_pkey" PRIMARY KEY ("workspace_id","item_id")
);

-- CreateIndex
CREATE INDEX "dismissals_dismissed_at_idx" ON "dismissals"("dismissed_at");

-- AddForeignKey
ALTER TABLE "dismissals" ADD CONSTRAINT "dismissals_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A dismissed item about the health of a connection is forgotten when that changes: what recurs is listed again.
CREATE INDEX dismissals_health_idx ON dismissals (workspace_id, object) WHERE kind IN ('connection_needs_reauth', 'connection_degraded');
CREATE FUNCTION connection_health_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM dismissals WHERE workspace_id = NEW.workspace_id AND object = NEW.id
    AND kind IN ('connection_needs_reauth', 'connection_degraded');
  RETURN NULL;
END
$$;
CREATE TRIGGER connections_health AFTER UPDATE OF status, status_reason ON connections FOR EACH ROW
  WHEN ((OLD.status, OLD.status_reason) IS DISTINCT FROM (NEW.status, NEW.status_reason))
  EXECUTE FUNCTION connection_health_changed();
