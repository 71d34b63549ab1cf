import type { Workspace } from '@switchboard/domain';
import { presentWorkspace as present } from '@switchboard/operations';

/** A workspace as its own keys read it, and when it was made. */
export const presentWorkspace = (workspace: Workspace) => ({
  ...present(workspace),
  created_at: workspace.createdAt.toISOString(),
});
