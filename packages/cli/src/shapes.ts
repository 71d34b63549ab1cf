import type { ApiKey, Workspace } from '@switchboard/domain';
import { presentKeyHead } from '@switchboard/operations';

/** Things that no operation shows yet, as they stand in the answers: snake_case, RFC 3339. */
export const presentWorkspace = (workspace: Workspace) => ({
  id: workspace.id,
  name: workspace.name,
  display_name: workspace.displayName,
  logo_url: workspace.logoUrl,
  accent_color: workspace.accentColor,
  support_email: workspace.supportEmail,
  privacy_url: workspace.privacyUrl,
  return_urls: workspace.returnUrls,
  default_timezone: workspace.defaultTimezone,
  created_at: workspace.createdAt.toISOString(),
});

export const presentKey = (key: ApiKey) => ({
  ...presentKeyHead(key),
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  replaced_by: key.replacedBy,
});
