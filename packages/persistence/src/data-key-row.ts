import type { WorkspaceId, WrappedDataKey } from '@switchboard/domain';
import type { DataKeyModel } from './generated/models.js';

/** Whose key it is: a workspace's, or nobody's but the installation's. */
export const ownerOf = (workspaceId: WorkspaceId | null) => workspaceId ?? 'installation';

export const toDataKey = ({
  workspaceId,
  version,
  masterKeyId,
  wrapped,
}: Omit<DataKeyModel, 'wrappedAt'>): WrappedDataKey => ({
  version,
  masterKeyId,
  wrapped,
  workspaceId: workspaceId as WorkspaceId | null,
});
