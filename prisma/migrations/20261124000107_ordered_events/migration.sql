-- Events are listed in the order in which they were appended.
DROP INDEX "events_workspace_id_id_idx";

ALTER TABLE "events" ADD COLUMN     "seq" BIGSERIAL NOT NULL;

CREATE INDEX "events_workspace_id_seq_idx" ON "events"("workspace_id", "seq");

CREATE CONSTRAINT TRIGGER events_announced AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION announce_change('workspace_id');
