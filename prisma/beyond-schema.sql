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
ALTER TABLE platform_apps ADD CONSTRAINT platform_apps_owner_check CHECK (owner = coalesce(profile_id, workspace_id));
ALTER TABLE snapshots ADD CONSTRAINT snapshots_subject_check CHECK (subject = coalesce(delivery_id, connection_id));
ALTER TABLE media ADD CONSTRAINT media_status_check CHECK (status IN ('processing', 'ready', 'failed'));
ALTER TABLE media ADD CONSTRAINT media_source_check CHECK (source IN ('upload', 'put', 'url'));
ALTER TABLE media ADD CONSTRAINT media_file_check CHECK ((status = 'ready') = (file_name IS NOT NULL));
ALTER TABLE media_stores ADD CONSTRAINT media_stores_one_check CHECK (id = 1);

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
CREATE INDEX deliveries_to_locate_idx ON deliveries (locate_at) WHERE status = 'published' AND locate_at IS NOT NULL;
CREATE INDEX deliveries_unsent_idx ON deliveries (workspace_id, connection_id) WHERE status IN ('pending', 'retrying', 'blocked');
CREATE INDEX deliveries_in_review_idx ON deliveries (workspace_id, id) WHERE status = 'needs_review';
CREATE INDEX deliveries_missed_idx ON deliveries (workspace_id, post_id, not_after) WHERE status = 'missed';
CREATE INDEX refunds_unsettled_idx ON refunds (next_attempt_at) WHERE status IN ('pending', 'unknown');
CREATE INDEX media_to_fetch_idx ON media (next_attempt_at) WHERE status = 'processing';
CREATE INDEX credentials_ending_idx ON credentials (access_expires_at) WHERE access_expires_at IS NOT NULL;
CREATE INDEX connect_flows_expired_idx ON connect_flows (expires_at);

-- The audit log: what waits for its seal, what still counts, and each chain in its order
CREATE INDEX audit_rows_unsealed_idx ON audit_rows (workspace_id, id) WHERE seq IS NULL;
CREATE UNIQUE INDEX audit_rows_batch_key ON audit_rows (workspace_id, batch) WHERE seq IS NULL AND batch IS NOT NULL;
CREATE UNIQUE INDEX audit_rows_seq_key ON audit_rows (workspace_id, seq) WHERE seq IS NOT NULL;
ALTER TABLE audit_rows ADD CONSTRAINT audit_rows_sealed_check CHECK (num_nulls(seq, prev_hash, row_hash) IN (0, 3));

-- Nothing that was written into it is changed or deleted. A row is counted up until it is sealed, and sealed once; a head
-- only moves on. What is left of a workspace that was deleted goes in a transaction that names it:
-- set_config('switchboard.purged_workspace', <its id>, true)
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.workspace_id = current_setting('switchboard.purged_workspace', true) THEN
      RETURN OLD;
    END IF;
  ELSIF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'audit_heads' THEN
    IF NEW.workspace_id = OLD.workspace_id AND NEW.seq > OLD.seq THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'UPDATE' THEN
    IF OLD.seq IS NULL AND (NEW.count = OLD.count OR (OLD.batch IS NOT NULL AND NEW.count > OLD.count))
      AND to_jsonb(NEW) - '{seq,prev_hash,row_hash,count}'::text[] = to_jsonb(OLD) - '{seq,prev_hash,row_hash,count}'::text[]
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is not changed: % of % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_rows_kept BEFORE UPDATE OR DELETE ON audit_rows FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_rows_not_emptied BEFORE TRUNCATE ON audit_rows FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_heads_kept BEFORE UPDATE OR DELETE ON audit_heads FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_heads_not_emptied BEFORE TRUNCATE ON audit_heads FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();

-- References that are checked when the transaction ends, because both rows are made in it
ALTER TABLE api_keys ALTER CONSTRAINT api_keys_workspace_id_replaced_by_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE data_keys ALTER CONSTRAINT data_keys_workspace_id_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE quotes ALTER CONSTRAINT quotes_workspace_id_used_by_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE refund_ledgers ALTER CONSTRAINT refund_ledgers_workspace_id_in_flight_fkey DEFERRABLE INITIALLY DEFERRED;

-- Whoever remembers a key hears of it when it is changed, revoked or deleted, and the change is committed.
-- Prisma's adapter cuts a script at every semicolon, wherever it stands: in here they are written as \073.
CREATE FUNCTION tell_of_key() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN PERFORM pg_notify(\'switchboard_keys\', OLD.public_id)\073 RETURN NULL\073 END';
CREATE TRIGGER api_keys_changed AFTER UPDATE OF workspace_id, public_id, lineage, name, scopes, policy, hash, revoked_at, replaced_by, version ON api_keys
  FOR EACH ROW EXECUTE FUNCTION tell_of_key();
CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION tell_of_key();

-- Counted anew after a crash: no disk waits for it
ALTER TABLE rate_limits SET UNLOGGED;
