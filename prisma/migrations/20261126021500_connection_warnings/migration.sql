-- The next of the warnings 14, 3 and 1 days before a login expires.
CREATE FUNCTION next_warning_at(expires_at timestamptz, warned_days integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT expires_at - make_interval(hours => 24 * CASE WHEN warned_days IS NULL OR warned_days > 14 THEN 14
    WHEN warned_days > 3 THEN 3 WHEN warned_days > 1 THEN 1 END)
$$;
CREATE INDEX connections_warning_idx ON connections (next_warning_at(expires_at, warned_days))
  WHERE deleted_at IS NULL AND status <> 'needs_reauth' AND next_warning_at(expires_at, warned_days) IS NOT NULL;
