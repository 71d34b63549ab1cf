import type { DataKeys, WorkspaceId, WrappedDataKey } from '@switchboard/domain';
import { writeBytes, type Client } from './columns.js';
import type { DataKeyModel } from './generated/models.js';

const ownerOf = (workspaceId: WorkspaceId | null) => workspaceId ?? 'installation';

export function prismaDataKeys(client: Client): DataKeys {
  return {
    async find(workspaceId) {
      const row = await client.dataKey.findFirst({
        where: { owner: ownerOf(workspaceId) },
        orderBy: { version: 'desc' },
      });
      return row && dataKey(row);
    },
    async insert({ wrapped, ...rest }) {
      const owner = ownerOf(rest.workspaceId);
      await client.dataKey.createMany({
        data: { ...rest, owner, wrapped: writeBytes(wrapped) },
        skipDuplicates: true,
      });
      const owner_version = { owner, version: rest.version };
      return dataKey(await client.dataKey.findUniqueOrThrow({ where: { owner_version } }));
    },
  };
}

const dataKey = ({ owner: _, ...row }: DataKeyModel): WrappedDataKey => ({
  ...row,
  workspaceId: row.workspaceId as WorkspaceId | null,
});
