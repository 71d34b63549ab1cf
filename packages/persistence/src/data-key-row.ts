import type { WorkspaceId, WrappedDataKey } from '@switchboard/domain';
import type { DataKeyModel } from './generated/models.js';

/** Whose key it is: a workspace's, or nobody's but the installation's. */
export const ownerOf = (workspaceId: WorkspaceId | null) => workspaceId ?? 'installation';

export const dataKey = ({ owner: _, ...row }: DataKeyModel): WrappedDataKey => ({
  ...row,
  workspaceId: row.workspaceId as WorkspaceId | null,
});
