-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "workspaces" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "display_name" TEXT,
    "logo_url" TEXT,
    "accent_color" TEXT,
    "support_email" TEXT,
    "privacy_url" TEXT,
    "return_urls" TEXT[],
    "default_timezone" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "profiles" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "external_id" TEXT,
    "timezone" TEXT NOT NULL,
    "metadata" JSONB NOT NULL,
    "is_default" BOOLEAN NOT NULL,
    "paused" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "profiles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "public_id" TEXT NOT NULL,
    "lineage" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "policy" JSONB NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "replaced_by" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "connections" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "profile_id" TEXT,
    "platform" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "label" TEXT,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "paused" BOOLEAN NOT NULL,
    "account_id" TEXT NOT NULL,
    "account_username" TEXT,
    "account_name" TEXT,
    "account_avatar_url" TEXT,
    "account_url" TEXT,
    "server" TEXT,
    "way" TEXT NOT NULL,
    "granted_permissions" TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_checked_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL,

    CONSTRAINT "connections_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credentials" (
    "connection_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,
    "access_expires_at" TIMESTAMPTZ(3),
    "fence" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("connection_id")
);

-- CreateTable
CREATE TABLE "connect_sessions" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "profile_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "platforms" TEXT[],
    "reconnects" TEXT,
    "return_url" TEXT,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "connection_ids" TEXT[],
    "error" JSONB,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connect_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "connect_flows" (
    "state_hash" BYTEA NOT NULL,
    "session_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "sealed_context" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connect_flows_pkey" PRIMARY KEY ("state_hash")
);

-- CreateTable
CREATE TABLE "posts" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "profile_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "link" TEXT,
    "scheduled_at" TIMESTAMPTZ(3) NOT NULL,
    "timezone" TEXT NOT NULL,
    "not_after" TIMESTAMPTZ(3) NOT NULL,
    "skipped" JSONB NOT NULL,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "posts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "post_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "connection_id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "account_username" TEXT,
    "account_name" TEXT,
    "status" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "link" TEXT,
    "options" JSONB NOT NULL,
    "content_digest" TEXT NOT NULL,
    "scheduled_at" TIMESTAMPTZ(3) NOT NULL,
    "not_after" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "parts" JSONB NOT NULL,
    "external_id" TEXT,
    "url" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "error" JSONB,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "error" JSONB,
    "actor" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "quotes" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "order_external_id" TEXT NOT NULL,
    "key_lineage" TEXT NOT NULL,
    "extent" JSONB NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "payments" JSONB NOT NULL,
    "payment_id" TEXT,
    "reason" TEXT,
    "note" TEXT,
    "notify_customer" BOOLEAN,
    "allow_offline" BOOLEAN NOT NULL,
    "order_digest" TEXT NOT NULL,
    "refundable_after_minor" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quotes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refunds" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "remote_account_id" TEXT NOT NULL,
    "order_external_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "extent" JSONB NOT NULL,
    "payments" JSONB NOT NULL,
    "restock" BOOLEAN NOT NULL,
    "reason" TEXT,
    "note" TEXT,
    "notify_customer" BOOLEAN,
    "money_moved" BOOLEAN NOT NULL,
    "reference" TEXT NOT NULL,
    "external_id" TEXT,
    "source" TEXT NOT NULL,
    "error" JSONB,
    "quote_id" TEXT,
    "key_lineage" TEXT,
    "idempotency_key" TEXT,
    "fingerprint" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "epoch" INTEGER NOT NULL,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund_ledgers" (
    "workspace_id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "remote_account_id" TEXT NOT NULL,
    "order_external_id" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "captured_minor" BIGINT NOT NULL DEFAULT 0,
    "refunded_minor" BIGINT NOT NULL DEFAULT 0,
    "reserved_minor" BIGINT NOT NULL DEFAULT 0,
    "in_flight" TEXT,

    CONSTRAINT "refund_ledgers_pkey" PRIMARY KEY ("workspace_id","platform","remote_account_id","order_external_id")
);

-- CreateTable
CREATE TABLE "snapshots" (
    "subject" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "delivery_id" TEXT,
    "metrics" JSONB NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("subject","hour")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "profile_id" TEXT,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_rows" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "object" TEXT,
    "outcome" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_rows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "workspace_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "lineage" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "status" INTEGER,
    "sealed_body" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workspace_id","operation","lineage","key")
);

-- CreateTable
CREATE TABLE "data_keys" (
    "owner" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "workspace_id" TEXT,
    "master_key_id" TEXT NOT NULL,
    "wrapped" BYTEA NOT NULL,

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("owner","version")
);

-- CreateTable
CREATE TABLE "canaries" (
    "id" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,

    CONSTRAINT "canaries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "workspaces_name_key" ON "workspaces"("name");

-- CreateIndex
CREATE UNIQUE INDEX "profiles_workspace_id_id_key" ON "profiles"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_public_id_key" ON "api_keys"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_workspace_id_id_key" ON "api_keys"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "connections_workspace_id_profile_id_idx" ON "connections"("workspace_id", "profile_id");

-- CreateIndex
CREATE UNIQUE INDEX "connections_workspace_id_id_key" ON "connections"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "credentials_workspace_id_connection_id_key" ON "credentials"("workspace_id", "connection_id");

-- CreateIndex
CREATE UNIQUE INDEX "connect_sessions_token_hash_key" ON "connect_sessions"("token_hash");

-- CreateIndex
CREATE INDEX "connect_sessions_workspace_id_profile_id_idx" ON "connect_sessions"("workspace_id", "profile_id");

-- CreateIndex
CREATE UNIQUE INDEX "connect_sessions_workspace_id_id_key" ON "connect_sessions"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "connect_flows_workspace_id_session_id_idx" ON "connect_flows"("workspace_id", "session_id");

-- CreateIndex
CREATE INDEX "posts_workspace_id_scheduled_at_id_idx" ON "posts"("workspace_id", "scheduled_at", "id");

-- CreateIndex
CREATE INDEX "posts_workspace_id_profile_id_id_idx" ON "posts"("workspace_id", "profile_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "posts_workspace_id_id_key" ON "posts"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_workspace_id_connection_id_content_digest_idx" ON "deliveries"("workspace_id", "connection_id", "content_digest");

-- CreateIndex
CREATE INDEX "deliveries_workspace_id_connection_id_published_at_idx" ON "deliveries"("workspace_id", "connection_id", "published_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_workspace_id_id_key" ON "deliveries"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_workspace_id_post_id_position_key" ON "deliveries"("workspace_id", "post_id", "position");

-- CreateIndex
CREATE INDEX "delivery_attempts_workspace_id_delivery_id_at_id_idx" ON "delivery_attempts"("workspace_id", "delivery_id", "at", "id");

-- CreateIndex
CREATE INDEX "quotes_expires_at_idx" ON "quotes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "quotes_workspace_id_id_key" ON "quotes"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "refunds_workspace_id_connection_id_id_idx" ON "refunds"("workspace_id", "connection_id", "id");

-- CreateIndex
CREATE INDEX "refunds_workspace_id_platform_remote_account_id_order_exter_idx" ON "refunds"("workspace_id", "platform", "remote_account_id", "order_external_id", "created_at");

-- CreateIndex
CREATE INDEX "refunds_workspace_id_key_lineage_currency_created_at_idx" ON "refunds"("workspace_id", "key_lineage", "currency", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "refunds_workspace_id_id_key" ON "refunds"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "refunds_workspace_id_key_lineage_idempotency_key_key" ON "refunds"("workspace_id", "key_lineage", "idempotency_key");

-- CreateIndex
CREATE INDEX "snapshots_workspace_id_connection_id_taken_at_idx" ON "snapshots"("workspace_id", "connection_id", "taken_at");

-- CreateIndex
CREATE INDEX "snapshots_workspace_id_delivery_id_idx" ON "snapshots"("workspace_id", "delivery_id");

-- CreateIndex
CREATE INDEX "events_workspace_id_id_idx" ON "events"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "audit_rows_workspace_id_id_idx" ON "audit_rows"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_replaced_by_fkey" FOREIGN KEY ("workspace_id", "replaced_by") REFERENCES "api_keys"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "connections" ADD CONSTRAINT "connections_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connections" ADD CONSTRAINT "connections_workspace_id_profile_id_fkey" FOREIGN KEY ("workspace_id", "profile_id") REFERENCES "profiles"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "connect_sessions" ADD CONSTRAINT "connect_sessions_workspace_id_profile_id_fkey" FOREIGN KEY ("workspace_id", "profile_id") REFERENCES "profiles"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "connect_sessions" ADD CONSTRAINT "connect_sessions_workspace_id_reconnects_fkey" FOREIGN KEY ("workspace_id", "reconnects") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "connect_flows" ADD CONSTRAINT "connect_flows_workspace_id_session_id_fkey" FOREIGN KEY ("workspace_id", "session_id") REFERENCES "connect_sessions"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "posts" ADD CONSTRAINT "posts_workspace_id_profile_id_fkey" FOREIGN KEY ("workspace_id", "profile_id") REFERENCES "profiles"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_workspace_id_post_id_fkey" FOREIGN KEY ("workspace_id", "post_id") REFERENCES "posts"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_workspace_id_delivery_id_fkey" FOREIGN KEY ("workspace_id", "delivery_id") REFERENCES "deliveries"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "quotes" ADD CONSTRAINT "quotes_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "quotes" ADD CONSTRAINT "quotes_workspace_id_used_by_fkey" FOREIGN KEY ("workspace_id", "used_by") REFERENCES "refunds"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_workspace_id_quote_id_fkey" FOREIGN KEY ("workspace_id", "quote_id") REFERENCES "quotes"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "refund_ledgers" ADD CONSTRAINT "refund_ledgers_workspace_id_in_flight_fkey" FOREIGN KEY ("workspace_id", "in_flight") REFERENCES "refunds"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_workspace_id_connection_id_fkey" FOREIGN KEY ("workspace_id", "connection_id") REFERENCES "connections"("workspace_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_workspace_id_delivery_id_fkey" FOREIGN KEY ("workspace_id", "delivery_id") REFERENCES "deliveries"("workspace_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "data_keys" ADD CONSTRAINT "data_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What schema.prisma cannot say. A database is schema.prisma plus this file: the drift test applies both and compares
-- the result with what the migrations make. A change here goes into a migration as well, word for word.

-- Values
ALTER TABLE connections ADD CONSTRAINT connections_status_check CHECK (status IN ('active', 'degraded', 'needs_reauth'));
ALTER TABLE connections ADD CONSTRAINT connections_kind_check CHECK (kind IN ('social', 'commerce'));
ALTER TABLE connections ADD CONSTRAINT connections_profile_check CHECK (profile_id IS NOT NULL OR deleted_at IS NOT NULL);
ALTER TABLE connect_sessions ADD CONSTRAINT connect_sessions_status_check CHECK (status IN ('pending', 'connected', 'failed', 'cancelled', 'expired'));
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK (status IN ('pending', 'sending', 'published', 'failed', 'retrying', 'blocked', 'unknown', 'needs_review', 'missed', 'cancelled', 'deleted'));
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_kind_check CHECK (kind IN ('attempt', 'read_back', 'decision', 'state'));
ALTER TABLE refunds ADD CONSTRAINT refunds_status_check CHECK (status IN ('pending', 'succeeded', 'failed', 'unknown', 'needs_review', 'awaiting_approval'));
ALTER TABLE refunds ADD CONSTRAINT refunds_source_check CHECK (source IN ('switchboard', 'store'));
ALTER TABLE refunds ADD CONSTRAINT refunds_amount_check CHECK (amount_minor > 0);
ALTER TABLE canaries ADD CONSTRAINT canaries_one_check CHECK (id = 1);
ALTER TABLE data_keys ADD CONSTRAINT data_keys_owner_check CHECK (owner = coalesce(workspace_id, 'installation'));
ALTER TABLE snapshots ADD CONSTRAINT snapshots_subject_check CHECK (subject = coalesce(delivery_id, connection_id));

-- Money: never more than was captured
ALTER TABLE refund_ledgers ADD CONSTRAINT refund_ledgers_reserved_check CHECK (reserved_minor >= 0);
ALTER TABLE refund_ledgers ADD CONSTRAINT refund_ledgers_refunded_check CHECK (refunded_minor >= 0);
ALTER TABLE refund_ledgers ADD CONSTRAINT refund_ledgers_captured_check CHECK (reserved_minor + refunded_minor <= captured_minor);
-- …and one refund at a time
CREATE UNIQUE INDEX refunds_in_flight_key ON refunds (workspace_id, platform, remote_account_id, order_external_id)
  WHERE source = 'switchboard' AND status IN ('pending', 'unknown', 'needs_review', 'awaiting_approval');

-- One of its kind
CREATE UNIQUE INDEX profiles_default_key ON profiles (workspace_id) WHERE is_default;
CREATE UNIQUE INDEX connections_account_key ON connections (workspace_id, profile_id, platform, account_id) WHERE deleted_at IS NULL;

-- What is due
CREATE INDEX deliveries_due_idx ON deliveries (coalesce(next_attempt_at, scheduled_at)) WHERE status IN ('pending', 'retrying');
CREATE INDEX deliveries_abandoned_idx ON deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX deliveries_unknown_idx ON deliveries (next_attempt_at) WHERE status = 'unknown';
CREATE INDEX deliveries_blocked_idx ON deliveries (not_after) WHERE status = 'blocked';
CREATE INDEX deliveries_unsent_idx ON deliveries (workspace_id, connection_id) WHERE status IN ('pending', 'retrying', 'blocked');
CREATE INDEX refunds_unsettled_idx ON refunds (next_attempt_at) WHERE status IN ('pending', 'unknown');
CREATE INDEX connect_flows_expired_idx ON connect_flows (expires_at);

-- References that are checked when the transaction ends, because both rows are made in it
ALTER TABLE api_keys ALTER CONSTRAINT api_keys_workspace_id_replaced_by_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE data_keys ALTER CONSTRAINT data_keys_workspace_id_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE quotes ALTER CONSTRAINT quotes_workspace_id_used_by_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE refund_ledgers ALTER CONSTRAINT refund_ledgers_workspace_id_in_flight_fkey DEFERRABLE INITIALLY DEFERRED;
