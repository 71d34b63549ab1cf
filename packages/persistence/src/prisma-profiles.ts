import { unsentStatuses } from '@switchboard/domain/deliveries';
import type { Profiles } from '@switchboard/domain/ports';
import type { Profile } from '@switchboard/domain/profiles';
import { omitUndefined, writeJson, type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type { ProfileModel } from './generated/models.js';
import { newestFirstSql, toPage } from './keyset.js';
import { rowsOf } from './model-columns.js';
import { readPause, toPauseColumns } from './prisma-pauses.js';
import { tombstoneConnections } from './tombstone-connections.js';

const profileRows = rowsOf<ProfileModel>('profiles', Prisma.ProfileScalarFieldEnum);

export function prismaProfiles(client: DatabaseClient): Profiles {
  return {
    async find(workspaceId, id) {
      const [row] = await profileRows(client, Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ${id}`);
      return row ? toProfile(row) : null;
    },
    async list(workspaceId, { reach, name, externalId, isPaused }, page) {
      const conditions = [
        Prisma.sql`workspace_id = ${workspaceId}`,
        ...(reach ? [Prisma.sql`id = ANY (${[...reach]}::text[])`] : []),
        ...(name === undefined ? [] : [Prisma.sql`lower(name) = lower(${name})`]),
        ...(externalId === undefined ? [] : [Prisma.sql`external_id = ${externalId}`]),
        ...(isPaused ? [Prisma.sql`paused`] : []),
      ];
      const rows = await profileRows(
        client,
        Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')} ${newestFirstSql(page)}`,
      );
      return toPage(rows, page, toProfile);
    },
    async insert({ metadata, pause, ...rest }) {
      await client.profile.create({
        data: { ...rest, ...toPauseColumns(pause), metadata: writeJson(metadata) },
      });
    },
    async update(workspaceId, id, { metadata, pause, ...rest }, ifVersion) {
      const [row] = await client.profile.updateManyAndReturn({
        where: { workspaceId, id, ...(ifVersion !== undefined && { version: ifVersion }) },
        data: {
          ...omitUndefined(rest),
          ...(pause !== undefined && toPauseColumns(pause)),
          ...(metadata !== undefined && { metadata: writeJson(metadata) }),
          version: { increment: 1 },
        },
      });
      return row ? toProfile(row) : null;
    },
    async delete(workspaceId, id) {
      await client.connectSession.deleteMany({ where: { workspaceId, profileId: id } });
      await tombstoneConnections(client, { workspaceId, profileId: id });
      await client.profile.deleteMany({ where: { workspaceId, id } });
    },
    async countUses(workspaceId, id) {
      const [connections, scheduledPosts] = [
        await client.connection.count({ where: { workspaceId, profileId: id, deletedAt: null } }),
        await client.post.count({
          where: {
            workspaceId,
            profileId: id,
            deliveries: { some: { status: { in: [...unsentStatuses] } } },
          },
        }),
      ];
      return { connections, scheduledPosts };
    },
  };
}

const toProfile = ({ paused: _, ...row }: ProfileModel): Profile => ({
  ...readRow<Profile>(row),
  pause: readPause(row.pause),
});
