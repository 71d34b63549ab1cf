-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "edit" JSONB;

CREATE INDEX deliveries_edits_idx ON deliveries (next_attempt_at) WHERE edit IS NOT NULL;

DROP TRIGGER deliveries_announced ON deliveries;
CREATE CONSTRAINT TRIGGER deliveries_announced AFTER UPDATE OF status, parts, edit ON deliveries DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.parts IS DISTINCT FROM NEW.parts OR OLD.edit IS DISTINCT FROM NEW.edit)
  EXECUTE FUNCTION announce_change('post_id');
