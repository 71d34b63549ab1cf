import type { PlatformApp } from '@switchboard/domain/platforms';
import type { PlatformApps } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type { PlatformAppModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';
import { WriteConflictError } from './write-conflict-error.js';

const appRows = rowsOf<PlatformAppModel>('platform_apps', Prisma.PlatformAppScalarFieldEnum);

export function prismaPlatformApps(client: DatabaseClient): PlatformApps {
  return {
    async find(workspaceId, platform, profileId) {
      const owner = profileId ?? workspaceId;
      const [row] = await appRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} AND platform = ${platform} AND owner = ${owner}`,
      );
      return row ? toPlatformApp(row) : null;
    },
    async listApplicable(workspaceId, profileId, platform) {
      const owners = [workspaceId, ...(profileId === null ? [] : [profileId])];
      const ofPlatform = platform === undefined ? Prisma.empty : Prisma.sql`AND platform = ${platform}`;
      const rows = await appRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} AND owner = ANY (${owners}::text[]) ${ofPlatform}`,
      );
      return rows.map(toPlatformApp);
    },
    async listByClientId(workspaceId, platform, clientId) {
      const rows = await client.platformApp.findMany({
        where: { workspaceId, platform, clientId },
        orderBy: { id: 'asc' },
      });
      return rows.map(toPlatformApp);
    },
    async insert({ sealedSecret, ...rest }) {
      const owner = rest.profileId ?? rest.workspaceId;
      try {
        await client.platformApp.create({ data: { ...rest, owner, sealedSecret: writeBytes(sealedSecret) } });
      } catch (error) {
        const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
        throw isTaken ? new WriteConflictError('the app was added concurrently') : error;
      }
    },
    async replace({ workspaceId, id, clientId, sealedSecret, generation }) {
      const { count } = await client.platformApp.updateMany({
        where: { workspaceId, id, generation: generation - 1 },
        data: { clientId, sealedSecret: writeBytes(sealedSecret), generation },
      });
      if (count !== 1) throw new WriteConflictError('the app was replaced or deleted concurrently');
    },
    async delete({ workspaceId, id, generation }) {
      const { count } = await client.platformApp.deleteMany({ where: { workspaceId, id, generation } });
      if (count !== 1) throw new WriteConflictError('the app was replaced or deleted concurrently');
    },
  };
}

const toPlatformApp = ({ owner: _, ...row }: PlatformAppModel) => readRow<PlatformApp>(row);
