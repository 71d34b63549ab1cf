import type { PostId, ProfileId, WorkspaceId } from '@switchboard/domain';
import type { PostingQueues } from '@switchboard/domain/ports';
import type { PostingQueue } from '@switchboard/domain/posts';
import { jsonText, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

const columns = Prisma.sql`workspace_id AS "workspaceId", profile_id AS "profileId", timezone, slots, version`;

export function prismaPostingQueues(client: DatabaseClient): PostingQueues {
  const isTaken = async (workspaceId: WorkspaceId, profileId: ProfileId, at: Date) => {
    const where = { workspaceId, profileId, queueSlot: at };
    return (await client.post.findFirst({ where, select: { id: true } })) !== null;
  };
  return {
    async find(workspaceId, profileId) {
      const [row] = await client.$queryRaw<PostingQueue[]>`
        SELECT ${columns} FROM posting_queues WHERE workspace_id = ${workspaceId} AND profile_id = ${profileId}`;
      return row ?? null;
    },
    async save({ workspaceId, profileId, timezone, slots }, ifVersion) {
      const [row] = await client.$queryRaw<PostingQueue[]>`
        INSERT INTO posting_queues AS q (workspace_id, profile_id, timezone, slots, version)
        SELECT ${workspaceId}, ${profileId}, ${timezone}, ${jsonText(slots)}::jsonb, 1
        WHERE ${ifVersion ?? 0}::int = 0 OR EXISTS (
          SELECT FROM posting_queues WHERE workspace_id = ${workspaceId} AND profile_id = ${profileId})
        ON CONFLICT (workspace_id, profile_id) DO UPDATE
        SET timezone = excluded.timezone, slots = excluded.slots, version = q.version + 1
        WHERE ${ifVersion ?? null}::int IS NULL OR q.version = ${ifVersion ?? null}::int
        RETURNING ${columns}`;
      return row ?? null;
    },
    listClaimed: (workspaceId, profileId) => client.$queryRaw<{ at: Date; postId: PostId }[]>`
      SELECT queue_slot AS at, id AS "postId" FROM posts
      WHERE workspace_id = ${workspaceId} AND profile_id = ${profileId} AND queue_slot > now()
      ORDER BY queue_slot`,
    async claim(workspaceId, profileId, slots) {
      for (let left = [...slots]; left.length > 0;) {
        const [free] = await client.$queryRaw<{ index: number }[]>`
          SELECT slot.index::int - 1 AS index FROM unnest(${left}::timestamptz[]) WITH ORDINALITY AS slot (at, index)
          WHERE pg_try_advisory_xact_lock(hashtextextended('queue ' || ${profileId}::text || ' ' || extract(epoch FROM slot.at)::text, 0))
          LIMIT 1`;
        const at = free && left[free.index];
        if (!at) return null;
        // Who held the lock before may have committed a post since this transaction listed them.
        if (!(await isTaken(workspaceId, profileId, at))) return at;
        left = left.slice(free.index + 1);
      }
      return null;
    },
    async release(workspaceId, profileId) {
      await client.$executeRaw`
        UPDATE posts SET queue_slot = NULL
        WHERE workspace_id = ${workspaceId} AND profile_id = ${profileId} AND queue_slot > now()`;
    },
  };
}
