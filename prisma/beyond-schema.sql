-- Constraints that schema.prisma cannot express. A database is schema.prisma plus this file: the drift test
-- applies both and compares the result with the migrations. A change here goes into a migration as well, word
-- for word.

-- Values
ALTER TABLE connections ADD CONSTRAINT connections_status_check CHECK (status IN ('active', 'degraded', 'needs_reauth'));
ALTER TABLE connections ADD CONSTRAINT connections_kind_check CHECK (kind IN ('social', 'commerce'));
ALTER TABLE connections ADD CONSTRAINT connections_profile_check CHECK (profile_id IS NOT NULL OR deleted_at IS NOT NULL);
ALTER TABLE connect_sessions ADD CONSTRAINT connect_sessions_status_check CHECK (status IN ('pending', 'connected', 'failed', 'cancelled', 'expired'));
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK (status IN ('awaiting_approval', 'pending', 'sending', 'published', 'failed', 'retrying', 'blocked', 'unknown', 'needs_review', 'missed', 'cancelled', 'deleted'));
ALTER TABLE posts ADD CONSTRAINT posts_settled_status_check CHECK (settled_status IN ('awaiting_approval', 'needs_review', 'published', 'partially_published', 'failed', 'missed', 'cancelled', 'deleted'));
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_kind_check CHECK (kind IN ('attempt', 'read_back', 'decision', 'state'));
ALTER TABLE refunds ADD CONSTRAINT refunds_status_check CHECK (status IN ('pending', 'succeeded', 'failed', 'unknown', 'needs_review', 'awaiting_approval'));
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check CHECK (kind IN ('post', 'refund') AND (kind = 'post') = (post_id IS NOT NULL) AND (kind = 'refund') = (refund_id IS NOT NULL));
ALTER TABLE approvals ADD CONSTRAINT approvals_status_check CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'withdrawn') AND (status = 'pending') = (decided_at IS NULL));
ALTER TABLE refunds ADD CONSTRAINT refunds_source_check CHECK (source IN ('switchboard', 'store'));
ALTER TABLE refunds ADD CONSTRAINT refunds_amount_check CHECK (amount_minor > 0);
ALTER TABLE installation ADD CONSTRAINT installation_one_check CHECK (id = 1);
ALTER TABLE profiles ADD CONSTRAINT profiles_paused_check CHECK (paused = (pause IS NOT NULL));
ALTER TABLE connections ADD CONSTRAINT connections_paused_check CHECK (paused = (pause IS NOT NULL));
ALTER TABLE canaries ADD CONSTRAINT canaries_one_check CHECK (id = 1);
ALTER TABLE data_keys ADD CONSTRAINT data_keys_owner_check CHECK (owner = coalesce(workspace_id, 'installation'));
ALTER TABLE platform_apps ADD CONSTRAINT platform_apps_owner_check CHECK (owner = coalesce(profile_id, workspace_id));
ALTER TABLE snapshots ADD CONSTRAINT snapshots_subject_check CHECK (subject = coalesce(delivery_id, external_post_id, connection_id));
ALTER TABLE latest_metrics ADD CONSTRAINT latest_metrics_subject_check CHECK (subject = coalesce(delivery_id, external_post_id, connection_id));
ALTER TABLE media ADD CONSTRAINT media_status_check CHECK (status IN ('processing', 'ready', 'failed'));
ALTER TABLE media ADD CONSTRAINT media_source_check CHECK (source IN ('upload', 'put', 'url'));
ALTER TABLE media ADD CONSTRAINT media_file_check CHECK ((status = 'ready') = (file_name IS NOT NULL));
ALTER TABLE media_stores ADD CONSTRAINT media_stores_one_check CHECK (id = 1);
ALTER TABLE invitations ADD CONSTRAINT invitations_uses_check CHECK (uses BETWEEN 0 AND max_clients);
ALTER TABLE authorized_clients ADD CONSTRAINT authorized_clients_end_check CHECK ((revoked_at IS NULL) = (end_reason IS NULL) AND end_reason IN ('revoked', 'key_revoked', 'signed_out', 'token_reused'));
ALTER TABLE oauth_records ADD CONSTRAINT oauth_records_kind_check CHECK (kind IN ('interaction', 'authorization_code', 'access_token', 'refresh_token', 'client', 'replay_detection') AND (kind = 'access_token') = (audience IS NOT NULL));
ALTER TABLE oauth_records ADD CONSTRAINT oauth_records_client_check CHECK ((kind IN ('authorization_code', 'access_token', 'refresh_token')) = (client_id IS NOT NULL) AND (client_id IS NULL) = (workspace_id IS NULL));
ALTER TABLE webhooks ADD CONSTRAINT webhooks_disabled_check CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL) AND disabled_reason IN ('requested', 'gone', 'failing'));
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_status_check CHECK (status IN ('pending', 'delivered', 'failed') AND (status = 'pending') = (next_attempt_at IS NOT NULL) AND (status = 'pending') = (settled_at IS NULL));

-- Money: never more than was captured
ALTER TABLE refund_ledgers ADD CONSTRAINT refund_ledgers_reserved_check CHECK (reserved_minor >= 0);
ALTER TABLE refund_ledgers ADD CONSTRAINT refund_ledgers_refunded_check CHECK (refunded_minor >= 0);
ALTER TABLE refund_ledgers ADD CONSTRAINT refund_ledgers_captured_check CHECK (reserved_minor + refunded_minor <= captured_minor);
-- …and one refund at a time
CREATE UNIQUE INDEX refunds_in_flight_key ON refunds (workspace_id, platform, account_server, remote_account_id, order_external_id)
  WHERE source = 'switchboard' AND status IN ('pending', 'unknown', 'needs_review', 'awaiting_approval');

-- Uniqueness
CREATE UNIQUE INDEX profiles_default_key ON profiles (workspace_id) WHERE is_default;
CREATE UNIQUE INDEX connections_account_key ON connections (workspace_id, profile_id, platform, account_server, account_id) WHERE deleted_at IS NULL;

-- One pending decision for a post or a refund
CREATE UNIQUE INDEX approvals_pending_post_key ON approvals (workspace_id, post_id) WHERE status = 'pending' AND post_id IS NOT NULL;
CREATE UNIQUE INDEX approvals_pending_refund_key ON approvals (workspace_id, refund_id) WHERE status = 'pending' AND refund_id IS NOT NULL;

-- What is paused: the connections through which nothing may be sent, null where it is all of them. They also are after the
-- history of the database changed, until a worker has recorded that. The lock serializes it with pausing: a transaction
-- that sends after this call ends before a pause commits, and one that starts later sees that pause. A volatile function
-- takes a new snapshot for each of its statements.
CREATE INDEX profiles_paused_idx ON profiles (workspace_id, id) WHERE paused;
CREATE INDEX connections_paused_idx ON connections (workspace_id, id) WHERE paused;
CREATE FUNCTION held_connections() RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
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

-- The history of the database, of the server's identity and its timeline. Null where the server does not tell (Aurora).
CREATE FUNCTION database_timeline() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;

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

-- What a list returns of a connection, as one JSON array in the order of `PresentedColumns` (query-connection-views.ts), with times in
-- milliseconds. It is generated when the connection is written: generating it took a list half of its time in the database.
CREATE FUNCTION presented_connection(
  id text, profile_id text, platform text, kind text, label text, external_id text, metadata jsonb, status text, status_reason text,
  pause jsonb, account_id text, account_username text, account_name text, account_avatar_url text, account_url text,
  connect_method text, granted_permissions text[], refused_permissions text[], expires_at timestamptz, watch_orders boolean,
  created_at timestamptz, last_checked_at timestamptz, version integer
) RETURNS json LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN json_build_array(id, profile_id, platform, kind, label, external_id, metadata, status, status_reason,
    pause, account_id, account_username, account_name, account_avatar_url, account_url,
    connect_method, granted_permissions, refused_permissions, (extract(epoch FROM expires_at) * 1000)::bigint, watch_orders,
    (extract(epoch FROM created_at) * 1000)::bigint, (extract(epoch FROM last_checked_at) * 1000)::bigint, version);
END
$$;
ALTER TABLE connections ADD COLUMN presented json GENERATED ALWAYS AS (presented_connection(
  id, profile_id, platform, kind, label, external_id, metadata, status, status_reason,
  pause, account_id, account_username, account_name, account_avatar_url, account_url,
  connect_method, granted_permissions, refused_permissions, expires_at, watch_orders,
  created_at, last_checked_at, version)) STORED;

-- Due work
CREATE INDEX deliveries_restored_idx ON deliveries (coalesce(next_attempt_at, scheduled_at)) WHERE status IN ('pending', 'retrying') AND restored_at IS NOT NULL;
CREATE INDEX deliveries_due_idx ON deliveries (coalesce(next_attempt_at, scheduled_at)) WHERE status IN ('pending', 'retrying');
CREATE INDEX deliveries_abandoned_idx ON deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX deliveries_unknown_idx ON deliveries (next_attempt_at) WHERE status = 'unknown';
CREATE INDEX deliveries_blocked_idx ON deliveries (not_after) WHERE status = 'blocked';
CREATE INDEX deliveries_url_unresolved_idx ON deliveries (resolve_url_at) WHERE status = 'published' AND resolve_url_at IS NOT NULL;
CREATE INDEX deliveries_edits_idx ON deliveries (next_attempt_at) WHERE edit IS NOT NULL;
CREATE INDEX deliveries_unsent_idx ON deliveries (workspace_id, connection_id, coalesce(next_attempt_at, scheduled_at))
  INCLUDE (next_attempt_at, scheduled_at) WHERE status IN ('pending', 'retrying', 'blocked');
CREATE INDEX deliveries_pending_idx ON deliveries (workspace_id, (CASE WHEN status = 'pending' THEN scheduled_at END)) WHERE status = 'pending';
CREATE STATISTICS deliveries_pending_stats ON (CASE WHEN status = 'pending' THEN scheduled_at END) FROM deliveries;
CREATE INDEX deliveries_awaiting_idx ON deliveries (workspace_id, connection_id) WHERE status = 'awaiting_approval';
CREATE INDEX deliveries_begun_idx ON deliveries (workspace_id, post_id) WHERE status IN ('sending', 'retrying', 'blocked', 'unknown');
CREATE INDEX deliveries_in_review_idx ON deliveries (workspace_id, id) WHERE status = 'needs_review';
CREATE INDEX deliveries_missed_idx ON deliveries (workspace_id, post_id, not_after) WHERE status = 'missed';
CREATE INDEX deliveries_failed_idx ON deliveries (workspace_id, post_id, not_after) WHERE status = 'failed';
CREATE INDEX deliveries_media_failed_idx ON deliveries (workspace_id, post_id)
  WHERE status IN ('pending', 'retrying', 'blocked') AND error ->> 'code' = 'media.failed';
CREATE INDEX approvals_expiring_idx ON approvals (expires_at) WHERE status = 'pending';
CREATE INDEX refunds_unsent_idx ON refunds (workspace_id) WHERE status = 'awaiting_approval' OR (status = 'pending' AND sent_at IS NULL);
CREATE INDEX refunds_unsettled_idx ON refunds (next_attempt_at) WHERE status IN ('pending', 'unknown');
CREATE INDEX media_to_fetch_idx ON media (next_attempt_at) WHERE status = 'processing';
CREATE INDEX latest_metrics_due_idx ON latest_metrics (next_read_at) WHERE next_read_at IS NOT NULL;
CREATE INDEX latest_metrics_due_by_connection_idx ON latest_metrics (connection_id, next_read_at) WHERE next_read_at IS NOT NULL;
CREATE INDEX latest_metrics_post_idx ON latest_metrics (workspace_id, post_id) INCLUDE (connection_id, published_at) WHERE delivery_id IS NOT NULL;
CREATE INDEX latest_metrics_external_idx ON latest_metrics (workspace_id, connection_id, published_at) WHERE external_post_id IS NOT NULL;
CREATE INDEX snapshots_raw_idx ON snapshots (hour) WHERE NOT thinned;
CREATE INDEX snapshots_external_post_idx ON snapshots (workspace_id, external_post_id) WHERE external_post_id IS NOT NULL;
CREATE INDEX latest_metrics_external_post_idx ON latest_metrics (workspace_id, external_post_id) WHERE external_post_id IS NOT NULL;
CREATE INDEX profiles_name_idx ON profiles (workspace_id, lower(name));
CREATE INDEX connect_flows_expired_idx ON connect_flows (expires_at);
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_started_idx ON webhook_deliveries (started_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_settled_idx ON webhook_deliveries (settled_at) WHERE status <> 'pending';

-- Posts by status; an open post has a delivery that is still to be sent, and whether publishing has started
-- depends on the time
CREATE INDEX posts_status_idx ON posts (workspace_id, (CASE WHEN draft THEN 'draft' ELSE coalesce(settled_status, 'open') END), id);
CREATE INDEX posts_status_by_time_idx ON posts (workspace_id, (CASE WHEN draft THEN 'draft' ELSE coalesce(settled_status, 'open') END), scheduled_at, id);

-- The few posts with a delivery later than the post's own time.
CREATE INDEX posts_own_times_idx ON posts (workspace_id, scheduled_at, id) WHERE requested @? '$.targets[*].scheduledAt';

-- Filters of lists. Metadata: hashes of the pairs of a row together with its workspace, so that equal pairs
-- of other workspaces are not found; a query compares the metadata itself as well. Written at once, not in a
-- pending list that every reader would scan.
CREATE FUNCTION metadata_terms(workspace_id text, metadata jsonb) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(hashtextextended(workspace_id || ' ' || key || ' ' || value, 0)) FROM jsonb_each_text(metadata)
$$;
CREATE INDEX posts_metadata_idx ON posts USING gin (metadata_terms(workspace_id, metadata)) WITH (fastupdate = off) WHERE metadata <> '{}';
CREATE INDEX connections_metadata_idx ON connections USING gin (metadata_terms(workspace_id, metadata)) WITH (fastupdate = off) WHERE metadata <> '{}';
CREATE STATISTICS posts_metadata_stats ON (metadata_terms(workspace_id, metadata)) FROM posts;
CREATE STATISTICS connections_metadata_stats ON (metadata_terms(workspace_id, metadata)) FROM connections;
-- Two posts never take the same slot of a queue.
CREATE UNIQUE INDEX posts_queue_slot_key ON posts (workspace_id, profile_id, queue_slot) WHERE queue_slot IS NOT NULL;
CREATE INDEX posts_external_id_idx ON posts (workspace_id, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX deliveries_published_idx ON deliveries (workspace_id, published_at) WHERE published_at IS NOT NULL;
CREATE INDEX deliveries_external_id_idx ON deliveries (workspace_id, connection_id, external_id) WHERE external_id IS NOT NULL;
-- A value can be common in one workspace and rare in another
CREATE STATISTICS deliveries_platform_stats (mcv) ON workspace_id, platform FROM deliveries;
CREATE STATISTICS connections_filter_stats (mcv) ON workspace_id, platform, kind, status FROM connections;

-- The rule of `posts/post-status.ts`, as far as it does not depend on the time. The posts are locked first: the
-- next statement sees the committed changes of concurrent transactions. Without sequential scans: a session keeps
-- the plan that it made when the tables were small.
CREATE FUNCTION settle_statuses(of_workspaces text[], of_posts text[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM posts WHERE id = ANY (of_posts) ORDER BY id FOR NO KEY UPDATE;
  UPDATE posts p SET settled_status = derived.status,
    queue_slot = CASE WHEN derived.status IN ('cancelled', 'failed', 'missed', 'deleted') THEN NULL ELSE p.queue_slot END
  FROM unnest(of_workspaces, of_posts) AS o (workspace_id, post_id) CROSS JOIN LATERAL (
    SELECT CASE
      WHEN bool_or(d.status = 'needs_review') THEN 'needs_review'
      WHEN bool_or(d.status = 'awaiting_approval') THEN 'awaiting_approval'
      WHEN bool_or(d.status IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')) THEN NULL
      WHEN bool_and(d.status = 'published') THEN 'published'
      WHEN bool_and(d.status = 'cancelled') THEN 'cancelled'
      WHEN bool_or(d.status = 'published' OR (d.status IN ('failed', 'missed') AND d.published_at IS NOT NULL))
        THEN 'partially_published'
      WHEN bool_or(d.status = 'failed') THEN 'failed'
      WHEN bool_or(d.status = 'missed') THEN 'missed'
      WHEN bool_or(d.status = 'deleted') THEN 'deleted'
      ELSE 'cancelled'
    END AS status
    FROM deliveries d WHERE d.workspace_id = o.workspace_id AND d.post_id = o.post_id
  ) AS derived
  WHERE p.id = ANY (of_posts) AND p.id = o.post_id AND p.workspace_id = o.workspace_id
    AND p.settled_status IS DISTINCT FROM derived.status;
END
$$;
CREATE FUNCTION delivery_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One that is new and still to come changes nothing of a post of which something is to come.
  IF NEW.status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown')
    OR EXISTS (SELECT FROM posts p WHERE p.workspace_id = NEW.workspace_id AND p.id = NEW.post_id AND p.settled_status IS NOT NULL)
  THEN
    PERFORM settle_statuses(ARRAY[NEW.workspace_id], ARRAY[NEW.post_id]);
  END IF;
  RETURN NULL;
END
$$;
-- Not of one that is still to come and was before, which every claim would be.
CREATE FUNCTION deliveries_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_statuses(array_agg(c.workspace_id), array_agg(c.post_id))
  FROM (
    SELECT DISTINCT workspace_id, post_id
    FROM (
      SELECT id, workspace_id, post_id, published_at IS NULL,
        CASE WHEN status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown') THEN status END
      FROM updated
      EXCEPT
      SELECT id, workspace_id, post_id, published_at IS NULL,
        CASE WHEN status NOT IN ('pending', 'sending', 'retrying', 'blocked', 'unknown') THEN status END
      FROM outdated
    ) AS changed
  ) AS c
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE FUNCTION deliveries_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_statuses(array_agg(g.workspace_id), array_agg(g.post_id))
  FROM (SELECT DISTINCT workspace_id, post_id FROM gone) AS g
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_made AFTER INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION delivery_inserted();
CREATE TRIGGER deliveries_settled AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS outdated NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION deliveries_settled();
-- Deliveries that are deleted with their post do not change it.
CREATE TRIGGER deliveries_gone AFTER DELETE ON deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION deliveries_gone();

-- The state of the latest approval, in the row of its post or refund: read with it, at no cost.
CREATE FUNCTION approval_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  state jsonb := jsonb_build_object('id', NEW.id, 'status', NEW.status, 'requestedAt', NEW.requested_at,
    'expiresAt', NEW.expires_at, 'decidedBy', NEW.decided_by, 'decidedAt', NEW.decided_at, 'note', NEW.note);
BEGIN
  UPDATE posts SET approval = state WHERE workspace_id = NEW.workspace_id AND id = NEW.post_id
    AND (TG_OP = 'INSERT' OR approval ->> 'id' = NEW.id);
  UPDATE refunds SET approval = state WHERE workspace_id = NEW.workspace_id AND id = NEW.refund_id
    AND (TG_OP = 'INSERT' OR approval ->> 'id' = NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER approvals_state AFTER INSERT OR UPDATE OF status, decided_by, decided_at, note ON approvals
  FOR EACH ROW EXECUTE FUNCTION approval_changed();

-- When a credential is due for renewal, which also depends on its connection. `renewal_lead` is the domain's
-- `renewalLeadMs`; the jitter of up to a fifth varies by connection, so that accounts connected together are
-- not renewed together.
CREATE FUNCTION renewal_lead(access_expires_at timestamptz, renewed_at timestamptz) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
  SELECT LEAST(GREATEST((access_expires_at - renewed_at) / 10, interval '30 seconds'), interval '7 days',
    (access_expires_at - renewed_at) / 2)
$$;
CREATE FUNCTION renewal_due_at(c credentials) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT greatest(c.next_attempt_at, c.access_expires_at - CASE WHEN n.expires_at IS NULL
    THEN renewal_lead(c.access_expires_at, c.renewed_at) * (1 + abs(hashtext(c.connection_id)::bigint) % 1000 / 5000.0)
    ELSE interval '0' END)
  FROM connections n
  WHERE n.workspace_id = c.workspace_id AND n.id = c.connection_id
    AND n.status <> 'needs_reauth' AND n.deleted_at IS NULL AND c.access_expires_at IS NOT NULL
$$;
CREATE FUNCTION credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.renew_at := renewal_due_at(NEW);
  RETURN NEW;
END
$$;
-- Waits for a transaction that changes the credential, and then decides by its values: the change of the
-- connection is visible here, and not there.
CREATE FUNCTION renewability_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE credentials c SET renew_at = renewal_due_at(c) WHERE c.workspace_id = NEW.workspace_id AND c.connection_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER credentials_renew_at BEFORE INSERT OR UPDATE OF access_expires_at, renewed_at, next_attempt_at ON credentials
  FOR EACH ROW EXECUTE FUNCTION credential_changed();
CREATE TRIGGER connections_renewability AFTER UPDATE OF status, expires_at, deleted_at ON connections FOR EACH ROW
  WHEN ((OLD.status = 'needs_reauth', OLD.expires_at IS NULL, OLD.deleted_at IS NULL)
    IS DISTINCT FROM (NEW.status = 'needs_reauth', NEW.expires_at IS NULL, NEW.deleted_at IS NULL))
  EXECUTE FUNCTION renewability_changed();
CREATE INDEX credentials_renewal_idx ON credentials (renew_at) WHERE renew_at IS NOT NULL;

-- The next of the warnings 14, 3 and 1 days before a login expires.
CREATE FUNCTION next_warning_at(expires_at timestamptz, warned_days integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT expires_at - make_interval(hours => 24 * CASE WHEN warned_days IS NULL OR warned_days > 14 THEN 14
    WHEN warned_days > 3 THEN 3 WHEN warned_days > 1 THEN 1 END)
$$;
CREATE INDEX connections_warning_idx ON connections (next_warning_at(expires_at, warned_days))
  WHERE deleted_at IS NULL AND status <> 'needs_reauth' AND next_warning_at(expires_at, warned_days) IS NOT NULL;

-- The audit log: unsealed rows, rows that still count, and each chain in order
CREATE INDEX audit_rows_unsealed_idx ON audit_rows (workspace_id, id) WHERE seq IS NULL;
CREATE UNIQUE INDEX audit_rows_batch_key ON audit_rows (workspace_id, batch) WHERE seq IS NULL AND batch IS NOT NULL;
CREATE UNIQUE INDEX audit_rows_seq_key ON audit_rows (workspace_id, seq) WHERE seq IS NOT NULL;
ALTER TABLE audit_rows ADD CONSTRAINT audit_rows_sealed_check CHECK (num_nulls(seq, prev_hash, row_hash) IN (0, 3));

-- Audit rows are never modified or deleted. The count of a row may increase until it is sealed, and it is
-- sealed once; a head only advances. The rows of a deleted workspace are removed in a transaction that names
-- it: set_config('switchboard.purged_workspace', <its id>, true)
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

-- References that are checked at the end of the transaction, because it inserts both rows
ALTER TABLE api_keys ALTER CONSTRAINT api_keys_workspace_id_replaced_by_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE data_keys ALTER CONSTRAINT data_keys_workspace_id_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE quotes ALTER CONSTRAINT quotes_workspace_id_used_by_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE refund_ledgers ALTER CONSTRAINT refund_ledgers_workspace_id_in_flight_fkey DEFERRABLE INITIALLY DEFERRED;

-- Announces every committed change, revocation or deletion of a key to the processes that cache it. Prisma's
-- adapter cuts a script at every semicolon, wherever it occurs: in here they are written as \073.
CREATE FUNCTION tell_of_key() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN PERFORM pg_notify(\'switchboard_keys\', OLD.public_id)\073 RETURN NULL\073 END';
CREATE TRIGGER api_keys_changed AFTER UPDATE OF workspace_id, public_id, lineage, name, scopes, policy, hash, revoked_at, replaced_by, version ON api_keys
  FOR EACH ROW EXECUTE FUNCTION tell_of_key();
CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION tell_of_key();

-- Every process is notified of a client whose access ends, and of an access token that is revoked, by the id
-- of the client.
CREATE FUNCTION tell_of_client() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN PERFORM pg_notify(\'switchboard_keys\', to_jsonb(OLD) ->> TG_ARGV[0])\073 RETURN NULL\073 END';
CREATE TRIGGER authorized_clients_changed AFTER UPDATE OF scopes, revoked_at ON authorized_clients
  FOR EACH ROW EXECUTE FUNCTION tell_of_client('id');
CREATE TRIGGER access_tokens_deleted AFTER DELETE ON oauth_records
  FOR EACH ROW WHEN (OLD.kind = 'access_token' AND OLD.expires_at > now()) EXECUTE FUNCTION tell_of_client('client_id');

-- Counted anew after a crash: writes do not wait for the disk
ALTER TABLE rate_limits SET UNLOGGED;

-- Counted anew after a crash: writes do not wait for the disk
ALTER TABLE waiting_slots SET UNLOGGED;

-- Sets the number of waiting requests of a workspace in a process, and returns the granted number: at most
-- what the other processes leave of the maximum. Changes of one workspace are serialized, so that the sum
-- holds. Prisma's adapter cuts a script at every semicolon, wherever it occurs: in here they are written as
-- \073.
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

-- Notifies requests that wait for a post, a refund, a connect session or an event when its change commits. Deferred to
-- the end of the transaction, so that a request which starts to wait meanwhile is included; without a waiting
-- request of the workspace, no notification is sent.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    IF EXISTS (SELECT FROM waiting_slots WHERE workspace_id = NEW.workspace_id AND lease_until > clock_timestamp()) THEN
      PERFORM pg_notify(\'switchboard_changes\', to_jsonb(NEW) ->> TG_ARGV[0])\073
    END IF\073
    RETURN NULL\073
  END';
CREATE CONSTRAINT TRIGGER deliveries_announced AFTER UPDATE OF status, parts, edit ON deliveries DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.parts IS DISTINCT FROM NEW.parts OR OLD.edit IS DISTINCT FROM NEW.edit)
  EXECUTE FUNCTION announce_change('post_id');
CREATE CONSTRAINT TRIGGER refunds_announced AFTER UPDATE OF status, external_id ON refunds DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.external_id IS DISTINCT FROM NEW.external_id)
  EXECUTE FUNCTION announce_change('id');
CREATE CONSTRAINT TRIGGER connect_sessions_announced AFTER UPDATE OF status, connection_ids ON connect_sessions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.connection_ids IS DISTINCT FROM NEW.connection_ids)
  EXECUTE FUNCTION announce_change('id');
CREATE CONSTRAINT TRIGGER events_announced AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION announce_change('workspace_id');

-- Schedules the reading of metrics for every social account and published delivery. Prisma's adapter cuts a
-- script at every semicolon, wherever it occurs: in here they are written as \073.
CREATE FUNCTION schedule_account_metrics() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, next_read_at)
      VALUES (NEW.id, NEW.workspace_id, NEW.id, now()) ON CONFLICT (subject) DO NOTHING\073
    RETURN NULL\073
  END';
CREATE TRIGGER connections_metrics AFTER INSERT ON connections FOR EACH ROW WHEN (NEW.kind = 'social')
  EXECUTE FUNCTION schedule_account_metrics();
-- Once for all deliveries that a statement inserts or settles.
CREATE FUNCTION schedule_delivery_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM inserted WHERE status = 'published') THEN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, next_read_at)
      SELECT id, workspace_id, connection_id, id, post_id, published_at, published_at + interval '1 hour'
      FROM inserted WHERE status = 'published' ORDER BY id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_metrics_inserted AFTER INSERT ON deliveries REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION schedule_delivery_metrics();
CREATE FUNCTION schedule_settled_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM updated WHERE status = 'published') THEN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, next_read_at)
      SELECT id, workspace_id, connection_id, id, post_id, published_at, published_at + interval '1 hour'
      FROM (
        SELECT id, workspace_id, connection_id, post_id, published_at FROM updated WHERE status = 'published'
        EXCEPT
        SELECT id, workspace_id, connection_id, post_id, published_at FROM outdated WHERE status = 'published'
      ) AS published
      ORDER BY id
      ON CONFLICT (subject) DO UPDATE SET published_at = excluded.published_at, next_read_at = excluded.next_read_at;
  END IF;
  IF EXISTS (SELECT FROM outdated WHERE status = 'published') THEN
    UPDATE latest_metrics SET published_at = NULL, next_read_at = NULL WHERE subject IN (
      SELECT id FROM outdated WHERE status = 'published' EXCEPT SELECT id FROM updated WHERE status = 'published');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_metrics_updated AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS outdated NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION schedule_settled_metrics();
-- An external post is read within a day: many are listed at once.
CREATE FUNCTION schedule_external_post_metrics() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, external_post_id, post_id, published_at, next_read_at)
      VALUES (NEW.id, NEW.workspace_id, NEW.connection_id, NEW.id, NEW.id, NEW.published_at,
        CASE WHEN NEW.published_at > now() - interval \'90 days\' THEN now() + random() * interval \'1 day\' END)\073
    RETURN NULL\073
  END';
CREATE TRIGGER external_posts_metrics AFTER INSERT ON external_posts FOR EACH ROW
  EXECUTE FUNCTION schedule_external_post_metrics();

-- The days of accounts whose sums in metric_sums are outdated (packages/persistence/src/metric-sums.ts), in the
-- transaction of the change: a reader sees both or neither. A post that is published or withdrawn on one account
-- changes where it counts on the others. It is locked first: of two transactions that publish one post on two
-- accounts, the second sees what the first has written. Without sequential scans, as in `settle_statuses`.
CREATE FUNCTION invalidate_days_of_posts(of_workspaces text[], of_posts text[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
BEGIN
  PERFORM FROM posts WHERE id = ANY (of_posts) ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT o.workspace_id, m.connection_id, (m.published_at AT TIME ZONE 'UTC')::date
    FROM unnest(of_workspaces, of_posts) AS o (workspace_id, post_id) CROSS JOIN LATERAL (
      SELECT connection_id, published_at FROM latest_metrics m
      WHERE m.workspace_id = o.workspace_id AND m.post_id = o.post_id AND m.delivery_id IS NOT NULL AND m.published_at IS NOT NULL
      OFFSET 0
    ) AS m;
END
$$;
CREATE FUNCTION latest_metrics_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM invalidate_days_of_posts(array_agg(i.workspace_id), array_agg(i.post_id))
  FROM (SELECT DISTINCT workspace_id, post_id FROM inserted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL) AS i
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER latest_metrics_inserted AFTER INSERT ON latest_metrics REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION latest_metrics_inserted();
CREATE FUNCTION latest_metrics_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Not by a join, whose plan for the few rows of the first calls would be kept for many.
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM (
      SELECT subject, workspace_id, connection_id, published_at, taken_at, impressions, reach, views, likes, comments, shares, saves, clicks
      FROM outdated WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL
      EXCEPT
      SELECT subject, workspace_id, connection_id, published_at, taken_at, impressions, reach, views, likes, comments, shares, saves, clicks
      FROM updated
    ) AS changed;
  PERFORM invalidate_days_of_posts(array_agg(m.workspace_id), array_agg(m.post_id))
  FROM (
    SELECT DISTINCT workspace_id, post_id
    FROM (
      SELECT subject, workspace_id, post_id, published_at FROM updated WHERE delivery_id IS NOT NULL
      EXCEPT
      SELECT subject, workspace_id, post_id, published_at FROM outdated
    ) AS changed
  ) AS m
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER latest_metrics_updated AFTER UPDATE ON latest_metrics REFERENCING OLD TABLE AS outdated NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION latest_metrics_updated();
CREATE FUNCTION latest_metrics_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM deleted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL;
  PERFORM invalidate_days_of_posts(array_agg(d.workspace_id), array_agg(d.post_id))
  FROM (SELECT DISTINCT workspace_id, post_id FROM deleted WHERE published_at IS NOT NULL AND delivery_id IS NOT NULL) AS d
  HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER latest_metrics_deleted AFTER DELETE ON latest_metrics REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION latest_metrics_deleted();

-- A worker of a version without sums by hour deletes invalidated days as well, during a rolling upgrade: the hours of their
-- accounts are deleted, and summed again when a report requests them.
CREATE FUNCTION invalidated_metric_days_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('switchboard.sums_hours', true) IS DISTINCT FROM 'on' THEN
    DELETE FROM hour_sum_sets s USING deleted d
      WHERE s.workspace_id = d.workspace_id AND d.connection_id = ANY (s.connection_ids);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER invalidated_metric_days_deleted AFTER DELETE ON invalidated_metric_days REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION invalidated_metric_days_deleted();
