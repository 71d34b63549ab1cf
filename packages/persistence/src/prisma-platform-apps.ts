import type { PlatformApp } from '@switchboard/domain/platforms';
import type { PlatformApps } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type { PlatformAppModel } from './generated/models.js';
import { WriteConflictError } from './write-conflict-error.js';

export function prismaPlatformApps(client: DatabaseClient): PlatformApps {
  return {
    async find(workspaceId, platform, profileId) {
      const owner = profileId ?? workspaceId;
      const row = await client.platformApp.findUnique({
        where: { workspaceId_platform_owner: { workspaceId, platform, owner } },
      });
      return row && toPlatformApp(row);
    },
    async listApplicable(workspaceId, profileId, platform) {
      const owner = { in: [workspaceId, ...(profileId === null ? [] : [profileId])] };
      const rows = await client.platformApp.findMany({
        where: { workspaceId, owner, ...(platform !== undefined && { platform }) },
      });
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
