import type { Workspace } from '@switchboard/domain/workspaces';
import { presentWorkspace as present } from '@switchboard/operations';

/** A workspace as its own keys read it, with its creation time. */
export const presentWorkspace = (workspace: Workspace) => ({
  ...present(workspace),
  created_at: workspace.createdAt.toISOString(),
});
