import type { DeliveryId, PostId, ProfileId, WorkspaceId } from '@switchboard/domain';
import type { Delivery, DeliveryStatus } from '@switchboard/domain/deliveries';
import type { ClaimedDelivery, Deliveries } from '@switchboard/domain/ports';
import { writeJson, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { DeliveryModel } from './generated/models.js';
import { toPage } from './keyset.js';
import { modelColumns, rowsOf } from './model-columns.js';
import {
  insertAttempts,
  selectClaimable,
  selectDueForDelivery,
  selectDueForReadBack,
  selectNextDue,
  isDueForDelivery,
  isClaimableForReadBack,
  settleStatement,
  claimForDelivery,
  claimForReadBack,
  claimEdits,
} from './delivery-sql.js';
import { toDeliveryAttempt, toDelivery } from './post-rows.js';
import { isUnsent, isWaiting } from './post-sql.js';
import { held, isNotHeld } from './prisma-pauses.js';
import { constant, isOneOf } from './query-runner.js';
import { selectInReview, selectUnpublished } from './waiting-posts.js';
import { writeNullableJson } from './write-nullable-json.js';

interface ClaimedPost {
  readonly id: string;
  readonly profileId: ProfileId;
  readonly needsApproval: boolean;
}

const deliveryColumns = modelColumns('deliveries', Prisma.DeliveryScalarFieldEnum);
const deliveryRows = rowsOf<DeliveryModel>('deliveries', Prisma.DeliveryScalarFieldEnum);

export function prismaDeliveries(client: DatabaseClient): Deliveries {
  /**
   * Runs an UPDATE of deliveries, increments the versions of their posts, and returns the IDs of the updated
   * rows.
   */
  async function runUpdate(update: Prisma.Sql): Promise<DeliveryId[]> {
    const rows = await client.$queryRaw<{ id: DeliveryId }[]>`
      WITH changed AS (${update} RETURNING deliveries.id, deliveries.post_id),
        touched AS (
          UPDATE posts SET version = version + 1, updated_at = now() WHERE id IN (
            SELECT id FROM posts WHERE id IN (SELECT post_id FROM changed) ORDER BY id FOR UPDATE)
        )
      SELECT id FROM changed`;
    return rows.map(({ id }) => id);
  }

  async function findDeliveriesByIds(ids: readonly DeliveryId[]): Promise<Delivery[]> {
    if (ids.length === 0) return [];
    const rows = await deliveryRows(client, Prisma.sql`WHERE ${isOneOf('id', ids)} ORDER BY id`);
    return rows.map(toDelivery);
  }

  /** Runs a claiming UPDATE, and returns the claimed deliveries, oldest first. */
  async function runClaim(update: Prisma.Sql): Promise<ClaimedDelivery[]> {
    const rows = await client.$queryRaw<DeliveryModel[]>`${update} RETURNING ${deliveryColumns}`;
    if (rows.length === 0) return [];
    // A statement of its own: the claim may return deliveries that were changed, with their posts, after its snapshot.
    const posts = await client.$queryRaw<ClaimedPost[]>`
      SELECT id, profile_id AS "profileId", approval IS NOT NULL AS "needsApproval"
      FROM posts WHERE ${isOneOf('id', [...new Set(rows.map(({ postId }) => postId))])}`;
    const postOf = new Map(posts.map((post) => [post.id, post]));
    return rows
      .sort((a, b) => a.scheduledAt.getTime() - b.scheduledAt.getTime() || (a.id < b.id ? -1 : 1))
      .flatMap((row) => {
        const post = postOf.get(row.postId);
        if (!post) return [];
        const { profileId, needsApproval } = post;
        return [{ delivery: toDelivery(row), profileId, needsApproval, traceparent: row.traceparent }];
      });
  }

  const cancelStatement = (which: Prisma.Sql) => Prisma.sql`
    UPDATE deliveries SET status = 'cancelled', next_attempt_at = NULL
    WHERE ${which} AND ${isUnsent} AND NOT parts @> '[{"status": "published"}]'`;

  const bumpVersion = (postId: string) =>
    client.$executeRaw`UPDATE posts SET version = version + 1, updated_at = now() WHERE id = ${postId}`;

  return {
    async find(workspaceId, id) {
      const [row] = await deliveryRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ${id}`,
      );
      return row ? toDelivery(row) : null;
    },

    async listHistory(workspaceId, id) {
      const rows = await client.deliveryAttempt.findMany({
        where: { workspaceId, delivery: { is: { postId: id } } },
        orderBy: [{ at: 'asc' }, { id: 'asc' }],
      });
      return rows.map(toDeliveryAttempt);
    },

    async listByIds(workspaceId, ids) {
      const rows = await deliveryRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ANY (${[...ids]}::text[]) ORDER BY id`,
      );
      return rows.map(toDelivery);
    },

    async listConflicting({ id, workspaceId, connectionId, scheduledAt }, externalId) {
      const known = JSON.stringify([{ externalId }]);
      const rows = await client.$queryRaw<{ id: DeliveryId }[]>`
        WITH account_connections AS (
          SELECT other.id FROM connections own
          JOIN connections other USING (workspace_id, platform, account_server, account_id)
          WHERE own.workspace_id = ${workspaceId} AND own.id = ${connectionId}
        )
        SELECT id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id IN (SELECT id FROM account_connections) AND id <> ${id}
          AND published_at >= ${scheduledAt}::timestamptz - interval '1 day'
          AND (parts @> ${known}::jsonb OR parts @> '[{"status": "published", "externalId": null}]')
        UNION
        SELECT id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id IN (SELECT id FROM account_connections) AND id <> ${id}
          AND status = 'sending'`;
      return findDeliveriesByIds(rows.map((row) => row.id));
    },

    async listDue(count) {
      const limit = constant(count);
      return client.$queryRaw<{ id: DeliveryId; workspaceId: WorkspaceId; status: DeliveryStatus }[]>`
        WITH ${held}
        SELECT id, workspace_id AS "workspaceId", status
        FROM ((${selectDueForDelivery(limit, isNotHeld)}) UNION ALL (${selectDueForReadBack(limit)})) AS due
        ORDER BY since NULLS FIRST, id LIMIT ${limit}`;
    },

    async measureBacklog(limit) {
      const [backlog] = await client.$queryRaw<{ due: number; oldestSeconds: number }[]>`
        WITH ${held}
        SELECT count(*)::int AS due,
          coalesce(extract(epoch FROM now() - min(since)), 0)::float8 AS "oldestSeconds"
        FROM (SELECT since FROM (${selectDueForDelivery(limit, isNotHeld)}) AS each ORDER BY since LIMIT ${limit}) AS due`;
      return backlog ?? { due: 0, oldestSeconds: 0 };
    },

    async findNextDueInMs(withinMs) {
      const [next] = await client.$queryRaw<{ inMs: number }[]>(selectNextDue(withinMs));
      return next?.inMs ?? null;
    },

    async claim(purpose, which, leaseSeconds) {
      const isDelivery = purpose === 'deliver';
      const claimed = isDelivery ? claimForDelivery(leaseSeconds) : claimForReadBack(leaseSeconds);
      const isClaimable = isDelivery ? isDueForDelivery : isClaimableForReadBack;
      const condition =
        'id' in which
          ? Prisma.sql`id = ${which.id} AND ${isClaimable}${isDelivery ? Prisma.sql` AND ${isNotHeld}` : Prisma.empty}`
          : Prisma.sql`id = ANY (ARRAY(${selectClaimable(purpose, which)}))`;
      return runClaim(Prisma.sql`WITH ${held} UPDATE deliveries SET ${claimed} WHERE ${condition}`);
    },

    async claimUnresolvedUrls(limit, afterSeconds) {
      const claimed = await runClaim(Prisma.sql`
        UPDATE deliveries SET resolve_url_at = (
          SELECT min(look) FROM unnest(${afterSeconds}::int[]) AS after (seconds),
            LATERAL (SELECT published_at + make_interval(secs => seconds) AS look) AS looks
          WHERE look > now())
        WHERE id = ANY (ARRAY(
          SELECT id FROM deliveries WHERE status = 'published' AND resolve_url_at <= now()
          ORDER BY resolve_url_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`);
      return claimed.map(({ delivery }) => delivery);
    },

    claimEdits: (limit, leaseSeconds) =>
      runClaim(Prisma.sql`WITH ${held} ${claimEdits(limit, leaseSeconds)}`),

    async extendLease(id, epoch, leaseSeconds) {
      const count = await client.$executeRaw`
        UPDATE deliveries SET lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE id = ${id} AND epoch = ${epoch} AND lease_until IS NOT NULL`;
      return count === 1;
    },

    async recordParts(id, epoch, { parts, edit, ...rest }) {
      const [row] = await client.delivery.updateManyAndReturn({
        where: { id, epoch },
        data: {
          ...rest,
          parts: writeJson(parts),
          ...(edit !== undefined && { edit: writeNullableJson(edit) }),
        },
        select: { postId: true },
      });
      if (row) await bumpVersion(row.postId);
      return row !== undefined;
    },

    async settle(settlements) {
      return new Set(await runUpdate(settleStatement(settlements)));
    },

    async cancelUnsent(workspaceId, postId, ids) {
      const which = Prisma.sql`workspace_id = ${workspaceId} AND post_id = ${postId} AND id = ANY (${[...ids]})`;
      return runUpdate(cancelStatement(which));
    },

    async cancelUnsentOf(workspaceId, connectionId) {
      const which = Prisma.sql`workspace_id = ${workspaceId} AND connection_id = ${connectionId}`;
      return findDeliveriesByIds(await runUpdate(cancelStatement(which)));
    },

    async listUnsentOf(workspaceId, connectionId, limit) {
      const rows = await client.$queryRaw<{ id: PostId; count: number }[]>`
        SELECT post_id AS id, count(*) OVER ()::int AS count FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND ${isWaiting}
        GROUP BY post_id
        ORDER BY min(coalesce(next_attempt_at, scheduled_at)), post_id
        LIMIT ${limit}`;
      return { count: rows[0]?.count ?? 0, ids: rows.map(({ id }) => id) };
    },

    async listInReview(workspaceId, reach, page) {
      return toPage(await selectInReview(client, workspaceId, reach, page), page, (row) => row);
    },

    async listUnpublished(workspaceId, reason, reach, since, page) {
      const rows = await selectUnpublished(client, workspaceId, reason, reach, since, page);
      return toPage(rows, page, (row) => row);
    },

    async recordMediaFailure(workspaceId, mediaId, error) {
      const usingParts = JSON.stringify([{ media: [{ mediaId }] }]);
      const ids = await runUpdate(Prisma.sql`
        UPDATE deliveries SET error = ${JSON.stringify(error)}::jsonb
        WHERE workspace_id = ${workspaceId} AND ${isUnsent} AND parts @> ${usingParts}::jsonb
          AND post_id IN (SELECT post_id FROM post_media WHERE workspace_id = ${workspaceId} AND media_id = ${mediaId})`);
      const rows = await client.delivery.findMany({
        where: { id: { in: ids } },
        select: { id: true, postId: true, post: { select: { profileId: true } } },
        orderBy: { id: 'asc' },
      });
      return rows.map(({ id, postId, post }) => ({
        id: id as DeliveryId,
        postId: postId as PostId,
        profileId: post.profileId as ProfileId,
      }));
    },

    async unblock(workspaceId, connectionId) {
      const unblockStatement = Prisma.sql`
        UPDATE deliveries SET status = 'pending', next_attempt_at = NULL, error = NULL
        WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND status = 'blocked'`;
      return findDeliveriesByIds(await runUpdate(unblockStatement));
    },

    async insertAttempts(...attempts) {
      await client.$executeRaw(insertAttempts(attempts));
    },
  };
}
