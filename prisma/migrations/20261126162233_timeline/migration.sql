-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "promotion" JSONB,
ADD COLUMN     "timeline" TEXT;

-- The history of the database, of the server's identity and its timeline. Null where the server does not tell (Aurora).
CREATE FUNCTION database_timeline() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION held_connections() RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  is_paused boolean;
  known text;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('pauses', 0));
  SELECT pause IS NOT NULL, timeline INTO is_paused, known FROM installation;
  IF is_paused OR (known IS NOT NULL AND known IS DISTINCT FROM database_timeline()) THEN
    RETURN NULL;
  END IF;
  RETURN ARRAY(
    SELECT id FROM connections WHERE paused
    UNION
    SELECT c.id FROM profiles p JOIN connections c ON c.workspace_id = p.workspace_id AND c.profile_id = p.id WHERE p.paused);
END
$$;
