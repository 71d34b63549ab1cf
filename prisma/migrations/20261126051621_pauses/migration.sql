-- AlterTable
ALTER TABLE "profiles" ADD COLUMN     "pause" JSONB;

-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "pause" JSONB;

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL,
    "public_url" TEXT,
    "pause" JSONB,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- No release has paused anything before
UPDATE profiles SET paused = false WHERE paused;
UPDATE connections SET paused = false WHERE paused;

-- Values
ALTER TABLE installation ADD CONSTRAINT installation_one_check CHECK (id = 1);
ALTER TABLE profiles ADD CONSTRAINT profiles_paused_check CHECK (paused = (pause IS NOT NULL));
ALTER TABLE connections ADD CONSTRAINT connections_paused_check CHECK (paused = (pause IS NOT NULL));

-- What is paused: the connections through which nothing may be sent, null where it is all of them. The lock
-- serializes it with pausing: a transaction that sends after this call ends before a pause commits, and one that
-- starts later sees that pause. A volatile function takes a new snapshot for each of its statements.
CREATE INDEX profiles_paused_idx ON profiles (workspace_id, id) WHERE paused;
CREATE INDEX connections_paused_idx ON connections (workspace_id, id) WHERE paused;
CREATE FUNCTION held_connections() RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('pauses', 0));
  IF EXISTS (SELECT FROM installation WHERE pause IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  RETURN ARRAY(
    SELECT id FROM connections WHERE paused
    UNION
    SELECT c.id FROM profiles p JOIN connections c ON c.workspace_id = p.workspace_id AND c.profile_id = p.id WHERE p.paused);
END
$$;
