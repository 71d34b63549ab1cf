-- CreateTable
CREATE TABLE "invitations" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "lineage" TEXT NOT NULL,
    "code_digest" BYTEA NOT NULL,
    "max_clients" INTEGER NOT NULL,
    "uses" INTEGER NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authorized_clients" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "lineage" TEXT NOT NULL,
    "oauth_client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,

    CONSTRAINT "authorized_clients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_records" (
    "kind" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "workspace_id" TEXT,
    "client_id" TEXT,
    "payload" JSONB NOT NULL,
    "scopes" TEXT[],
    "audience" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_records_pkey" PRIMARY KEY ("kind","digest")
);

-- CreateIndex
CREATE UNIQUE INDEX "invitations_code_digest_key" ON "invitations"("code_digest");

-- CreateIndex
CREATE INDEX "invitations_workspace_id_idx" ON "invitations"("workspace_id");

-- CreateIndex
CREATE INDEX "invitations_expires_at_idx" ON "invitations"("expires_at");

-- CreateIndex
CREATE INDEX "authorized_clients_workspace_id_lineage_id_idx" ON "authorized_clients"("workspace_id", "lineage", "id");

-- CreateIndex
CREATE INDEX "authorized_clients_oauth_client_id_idx" ON "authorized_clients"("oauth_client_id");

-- CreateIndex
CREATE UNIQUE INDEX "authorized_clients_workspace_id_id_key" ON "authorized_clients"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "oauth_records_workspace_id_client_id_idx" ON "oauth_records"("workspace_id", "client_id");

-- CreateIndex
CREATE INDEX "oauth_records_expires_at_idx" ON "oauth_records"("expires_at");

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorized_clients" ADD CONSTRAINT "authorized_clients_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_records" ADD CONSTRAINT "oauth_records_workspace_id_client_id_fkey" FOREIGN KEY ("workspace_id", "client_id") REFERENCES "authorized_clients"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE invitations ADD CONSTRAINT invitations_uses_check CHECK (uses BETWEEN 0 AND max_clients);
ALTER TABLE authorized_clients ADD CONSTRAINT authorized_clients_end_check CHECK ((revoked_at IS NULL) = (end_reason IS NULL) AND end_reason IN ('revoked', 'key_revoked', 'signed_out', 'token_reused'));
ALTER TABLE oauth_records ADD CONSTRAINT oauth_records_kind_check CHECK (kind IN ('interaction', 'authorization_code', 'access_token', 'refresh_token', 'client', 'replay_detection') AND (kind = 'access_token') = (audience IS NOT NULL));
ALTER TABLE oauth_records ADD CONSTRAINT oauth_records_client_check CHECK ((kind IN ('authorization_code', 'access_token', 'refresh_token')) = (client_id IS NOT NULL) AND (client_id IS NULL) = (workspace_id IS NULL));

-- Every process is notified of a client whose access ends, and of an access token that is revoked, by the id
-- of the client.
CREATE FUNCTION tell_of_client() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN PERFORM pg_notify(\'switchboard_keys\', to_jsonb(OLD) ->> TG_ARGV[0])\073 RETURN NULL\073 END';
CREATE TRIGGER authorized_clients_changed AFTER UPDATE OF scopes, revoked_at ON authorized_clients
  FOR EACH ROW EXECUTE FUNCTION tell_of_client('id');
CREATE TRIGGER access_tokens_deleted AFTER DELETE ON oauth_records
  FOR EACH ROW WHEN (OLD.kind = 'access_token' AND OLD.expires_at > now()) EXECUTE FUNCTION tell_of_client('client_id');
