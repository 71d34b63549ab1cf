import type { Metadata, Profile, ProfileId, Profiles, WorkspaceId } from '@switchboard/domain';
import { given, readJson, writeJson, type Client } from './columns.js';
import type { ProfileModel } from './generated/models.js';
import { behind, cut, newestFirst } from './keyset.js';
import { waiting } from './post-sql.js';
import { tombstone } from './tombstone.js';

export function prismaProfiles(client: Client): Profiles {
  return {
    async find(workspaceId, id) {
      const row = await client.profile.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && profile(row);
    },
    async list(workspaceId, reach, page) {
      const rows = await client.profile.findMany({
        where: { AND: [{ workspaceId, ...(reach && { id: { in: [...reach] } }) }, behind(page)] },
        ...newestFirst(page),
      });
      return cut(rows, page, profile);
    },
    async insert({ metadata, ...rest }) {
      await client.profile.create({ data: { ...rest, metadata: writeJson(metadata) } });
    },
    async update(workspaceId, id, { metadata, ...rest }, ifVersion) {
      const [row] = await client.profile.updateManyAndReturn({
        where: { workspaceId, id, ...(ifVersion !== undefined && { version: ifVersion }) },
        data: {
          ...given(rest),
          ...(metadata !== undefined && { metadata: writeJson(metadata) }),
          version: { increment: 1 },
        },
      });
      return row ? profile(row) : null;
    },
    async delete(workspaceId, id) {
      await client.connectSession.deleteMany({ where: { workspaceId, profileId: id } });
      await tombstone(client, { workspaceId, profileId: id });
      await client.profile.deleteMany({ where: { workspaceId, id } });
    },
    async countUses(workspaceId, id) {
      const [connections, scheduledPosts] = [
        await client.connection.count({ where: { workspaceId, profileId: id, deletedAt: null } }),
        await client.post.count({
          where: { workspaceId, profileId: id, deliveries: { some: { status: { in: [...waiting] } } } },
        }),
      ];
      return { connections, scheduledPosts };
    },
  };
}

const profile = (row: ProfileModel): Profile => ({
  ...row,
  id: row.id as ProfileId,
  workspaceId: row.workspaceId as WorkspaceId,
  metadata: readJson<Metadata>(row.metadata),
});
