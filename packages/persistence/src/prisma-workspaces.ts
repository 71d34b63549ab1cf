import type { WorkspaceId } from '@switchboard/domain';
import type { Workspaces } from '@switchboard/domain/ports';
import type { Workspace } from '@switchboard/domain/workspaces';
import { omitUndefined, type DatabaseClient } from './columns.js';
import { deleteWorkspace } from './delete-workspace.js';
import type { WorkspaceModel } from './generated/models.js';

export function prismaWorkspaces(client: DatabaseClient): Workspaces {
  return {
    async find(id) {
      const row = await client.workspace.findUnique({ where: { id } });
      return row && toWorkspace(row);
    },
    async findByName(name) {
      const turn = `workspace named ${name}`;
      await client.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turn}, 0))::text`;
      const row = await client.workspace.findUnique({ where: { name } });
      return row && toWorkspace(row);
    },
    async list() {
      return (await client.workspace.findMany({ orderBy: { id: 'asc' } })).map(toWorkspace);
    },
    async insert({ returnUrls, ...rest }) {
      await client.workspace.create({ data: { ...rest, returnUrls: [...returnUrls] } });
    },
    async update(id, { returnUrls, ...rest }, ifVersion) {
      const [row] = await client.workspace.updateManyAndReturn({
        where: { id, ...(ifVersion !== undefined && { version: ifVersion }) },
        data: {
          ...omitUndefined({ ...rest, returnUrls: returnUrls && [...returnUrls] }),
          version: { increment: 1 },
        },
      });
      return row ? toWorkspace(row) : null;
    },
    delete: (id) => deleteWorkspace(client, id),
  };
}

const toWorkspace = (row: WorkspaceModel): Workspace => ({ ...row, id: row.id as WorkspaceId });
