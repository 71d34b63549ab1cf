-- AlterTable
ALTER TABLE "connections" ADD COLUMN     "account_server" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "connect_choices" ADD COLUMN     "account_server" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "read_backs" INTEGER NOT NULL DEFAULT 0;

-- As `accountServerOf` says, for the platforms whose servers number accounts by themselves. Removed connections too: what
-- was published through them is compared with what is found at the account.
UPDATE connections SET account_server = regexp_replace(regexp_replace(server, '^https?://', ''), '/+$', '')
WHERE server IS NOT NULL AND platform IN ('mastodon', 'medusa', 'vendure');

-- One of its kind
DROP INDEX connections_account_key;
CREATE UNIQUE INDEX connections_account_key ON connections (workspace_id, profile_id, platform, account_server, account_id) WHERE deleted_at IS NULL;

-- Read-backs since the last attempt, as far as they were written down.
UPDATE deliveries d SET read_backs = (
  SELECT count(*) FROM delivery_attempts a
  WHERE a.workspace_id = d.workspace_id AND a.delivery_id = d.id AND a.kind = 'read_back'
    AND a.at >= (
      SELECT coalesce(max(b.at), '-infinity') FROM delivery_attempts b
      WHERE b.workspace_id = d.workspace_id AND b.delivery_id = d.id AND b.kind = 'attempt'))
WHERE status IN ('unknown', 'needs_review');
