import type { Workspace } from '@switchboard/domain';

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
