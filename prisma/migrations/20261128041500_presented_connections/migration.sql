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
