import type { DataKeys } from '@switchboard/domain';
import { writeBytes, type Client } from './columns.js';
import { dataKey, ownerOf } from './data-key-row.js';

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
