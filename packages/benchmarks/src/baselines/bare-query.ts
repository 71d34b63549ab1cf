const COLUMNS = `id, workspace_id, profile_id, platform, kind, label, external_id, metadata, status, status_reason, paused,
  pause, account_id, account_username, account_name, account_avatar_url, account_url, account_text_limits, account_media_limits,
  account_server, server, connect_method, granted_permissions, refused_permissions, expires_at, warned_days, app_missing,
  watch_orders, created_at, last_checked_at, deleted_at, version`;

/** The prepared statement of the minimal lists: every column that is stored, not the one that is generated from them. */
export const bareQuery = {
  name: 'list',
  text: `SELECT ${COLUMNS} FROM connections WHERE deleted_at IS NULL ORDER BY id DESC LIMIT 20`,
};
