-- CreateTable
CREATE TABLE "waiting_slots" (
    "workspace_id" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "waiting_slots_pkey" PRIMARY KEY ("workspace_id","holder")
);

-- AddForeignKey
ALTER TABLE "waiting_slots" ADD CONSTRAINT "waiting_slots_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Counted anew after a crash: no disk waits for it
ALTER TABLE waiting_slots SET UNLOGGED;

-- Sets how many requests of a workspace wait in a process, and answers how many may: as many as the other processes leave of
-- the most. Changes of one workspace are serialized, so that the sum holds.
-- Prisma's adapter cuts a script at every semicolon, wherever it stands: in here they are written as \073.
CREATE FUNCTION set_waiting_slots(workspace text, process text, wanted integer, most integer, lease_ms integer)
  RETURNS integer LANGUAGE plpgsql AS
  E'DECLARE granted integer\073 BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(\'waiting \' || workspace, 0))\073
    SELECT greatest(0, least(wanted, most - coalesce(sum(slots), 0))) INTO granted FROM waiting_slots
      WHERE workspace_id = workspace AND holder <> process AND lease_until > clock_timestamp()\073
    IF granted = 0 THEN
      DELETE FROM waiting_slots WHERE workspace_id = workspace AND holder = process\073
    ELSE
      INSERT INTO waiting_slots (workspace_id, holder, slots, lease_until)
        VALUES (workspace, process, granted, clock_timestamp() + lease_ms * interval \'1 millisecond\')
        ON CONFLICT (workspace_id, holder) DO UPDATE SET slots = excluded.slots, lease_until = excluded.lease_until\073
    END IF\073
    RETURN granted\073
  END';

-- Requests that wait for a post, a refund or a connect session are told when a change of it commits. Deferred to the end of
-- the transaction, so that a request which begins to wait meanwhile is seen; where none of the workspace waits, nothing is sent.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    IF EXISTS (SELECT FROM waiting_slots WHERE workspace_id = NEW.workspace_id AND lease_until > clock_timestamp()) THEN
      PERFORM pg_notify(\'switchboard_changes\', to_jsonb(NEW) ->> TG_ARGV[0])\073
    END IF\073
    RETURN NULL\073
  END';
CREATE CONSTRAINT TRIGGER deliveries_announced AFTER UPDATE OF status, parts ON deliveries DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.parts IS DISTINCT FROM NEW.parts)
  EXECUTE FUNCTION announce_change('post_id');
CREATE CONSTRAINT TRIGGER refunds_announced AFTER UPDATE OF status, external_id ON refunds DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.external_id IS DISTINCT FROM NEW.external_id)
  EXECUTE FUNCTION announce_change('id');
CREATE CONSTRAINT TRIGGER connect_sessions_announced AFTER UPDATE OF status, connection_ids ON connect_sessions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.connection_ids IS DISTINCT FROM NEW.connection_ids)
  EXECUTE FUNCTION announce_change('id');
