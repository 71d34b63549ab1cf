import type { WorkspaceId } from '@switchboard/domain';
import type { WrappedDataKey } from '@switchboard/domain/ports';
import type { DataKeyModel } from './generated/models.js';

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
