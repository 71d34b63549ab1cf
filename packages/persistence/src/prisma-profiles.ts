import { unsentStatuses } from '@switchboard/domain/deliveries';
import type { Profiles } from '@switchboard/domain/ports';
import type { Profile } from '@switchboard/domain/profiles';
import { omitUndefined, writeJson, type DatabaseClient, readRow } from './columns.js';
import type { ProfileModel } from './generated/models.js';
import { afterCursor, toPage, newestFirst } from './keyset.js';
import { readPause, toPauseColumns } from './prisma-pauses.js';
import { tombstoneConnections } from './tombstone-connections.js';

export function prismaProfiles(client: DatabaseClient): Profiles {
  return {
    async find(workspaceId, id) {
      const row = await client.profile.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && toProfile(row);
    },
    async list(workspaceId, { reach, name, externalId, isPaused }, page) {
      // Prisma's comparison without case is ILIKE, in which a name may contain wildcards.
      const named =
        name !== undefined &&
        (await client.$queryRaw<{ id: string }[]>`
          SELECT id FROM profiles WHERE workspace_id = ${workspaceId} AND lower(name) = lower(${name})`);
      const conditions = [
        { workspaceId, ...omitUndefined({ externalId, paused: isPaused }) },
        ...(reach ? [{ id: { in: [...reach] } }] : []),
        ...(named ? [{ id: { in: named.map(({ id }) => id) } }] : []),
      ];
      const rows = await client.profile.findMany({
        where: { AND: [...conditions, afterCursor(page)] },
        ...newestFirst(page),
      });
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
