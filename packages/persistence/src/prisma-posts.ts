import type {
  ClaimedDelivery,
  Delivery,
  DeliveryId,
  PostId,
  Posts,
  ProfileId,
  WorkspaceId,
  DeliveryStatus,
} from '@switchboard/domain';
import { jsonText, writeJson, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import { toPage } from './keyset.js';
import {
  selectClaimable,
  selectDueForDelivery,
  selectDueForReadBack,
  isDueForDelivery,
  isClaimableForReadBack,
  settleStatement,
  claimForDelivery,
  claimForReadBack,
} from './delivery-sql.js';
import {
  toDeliveryAttempt,
  toDelivery,
  toDeliveryColumns,
  flattenAccount,
  toPost,
  toPostColumns,
  toRow,
} from './post-rows.js';
import { isWaiting, selectPostIds } from './post-sql.js';
import { selectInReview, selectMissed } from './waiting-posts.js';

const withDeliveries = { deliveries: { orderBy: { position: 'asc' } } } as const;

export function prismaPosts(client: DatabaseClient): Posts {
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
    const where = { id: { in: [...ids] } };
    return (await client.delivery.findMany({ where, orderBy: { id: 'asc' } })).map(toDelivery);
  }

  /** Runs a claiming UPDATE, and returns the claimed deliveries, oldest first. */
  async function runClaim(update: Prisma.Sql): Promise<ClaimedDelivery[]> {
    const claimed = await client.$queryRaw<{ id: string }[]>`${update} RETURNING id`;
    if (claimed.length === 0) return [];
    const rows = await client.delivery.findMany({
      where: { id: { in: claimed.map(({ id }) => id) } },
      include: { post: { select: { profileId: true } } },
      orderBy: [{ scheduledAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(({ post: { profileId }, ...row }) => ({
      delivery: toDelivery(row),
      profileId: profileId as ProfileId,
    }));
  }

  const cancelStatement = (which: Prisma.Sql) => Prisma.sql`
    UPDATE deliveries SET status = 'cancelled', next_attempt_at = NULL
    WHERE ${which} AND ${isWaiting} AND NOT parts @> '[{"status": "published"}]'`;

  const bumpVersion = (postId: string) =>
    client.$executeRaw`UPDATE posts SET version = version + 1, updated_at = now() WHERE id = ${postId}`;

  const databaseNow = async () => {
    const [row] = await client.$queryRaw<{ at: Date }[]>`SELECT now() AS at`;
    if (!row) throw new Error('the clock query returned no row');
    return row.at;
  };

  const posts: Posts = {
    async find(workspaceId, id) {
      const where = { workspaceId_id: { workspaceId, id } };
      const row = await client.post.findUnique({ where, include: withDeliveries });
      return row && toPost(row);
    },

    async list(workspaceId, filter, page) {
      const { sort, ...wanted } = filter;
      const found = await client.$queryRaw<{ id: string }[]>(
        selectPostIds(workspaceId, wanted, { sort, after: page.after, limit: page.limit + 1 }),
      );
      const forwards = sort === 'scheduled_at';
      const rows = await client.post.findMany({
        where: { workspaceId, id: { in: found.map(({ id }) => id) } },
        orderBy: forwards ? [{ scheduledAt: 'asc' }, { id: 'asc' }] : { id: 'desc' },
        include: withDeliveries,
      });
      return toPage(rows, page, toPost, ({ id, scheduledAt }) =>
        forwards ? `${scheduledAt.toISOString()} ${id}` : id,
      );
    },

    async findDelivery(workspaceId, id) {
      const row = await client.delivery.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && toDelivery(row);
    },

    async findDuplicate(workspaceId, connectionId, contentDigest, around, except) {
      const [row] = await client.$queryRaw<{ id: PostId }[]>`
        SELECT post_id AS id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND content_digest = ${contentDigest}
          AND post_id <> ${except ?? ''} AND status NOT IN ('failed', 'missed', 'cancelled', 'deleted')
          AND coalesce(published_at, scheduled_at) BETWEEN ${around}::timestamptz - interval '1 day' AND ${around}::timestamptz + interval '1 day'
        ORDER BY id DESC LIMIT 1`;
      return row?.id ?? null;
    },

    async listByIds(ids) {
      const rows = await client.post.findMany({ where: { id: { in: [...ids] } }, include: withDeliveries });
      return rows.map(toPost);
    },

    async listHistory(workspaceId, id) {
      const rows = await client.deliveryAttempt.findMany({
        where: { workspaceId, delivery: { is: { postId: id } } },
        orderBy: [{ at: 'asc' }, { id: 'asc' }],
      });
      return rows.map(toDeliveryAttempt);
    },

    async listPublished(workspaceId, { connectionIds, from, to }, limit) {
      const rows = await client.delivery.findMany({
        where: {
          workspaceId,
          connectionId: { in: [...connectionIds] },
          status: 'published',
          publishedAt: { gte: from, lt: to },
        },
        orderBy: [{ publishedAt: 'desc' }, { id: 'desc' }],
        take: limit,
      });
      return rows.map(toDelivery);
    },

    async listConflictingDeliveries({ id, workspaceId, connectionId, scheduledAt }, externalId) {
      const known = JSON.stringify([{ externalId }]);
      const rows = await client.$queryRaw<{ id: DeliveryId }[]>`
        WITH doors AS (
          SELECT other.id FROM connections own
          JOIN connections other USING (workspace_id, platform, account_server, account_id)
          WHERE own.workspace_id = ${workspaceId} AND own.id = ${connectionId}
        )
        SELECT id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id IN (SELECT id FROM doors) AND id <> ${id}
          AND published_at >= ${scheduledAt}::timestamptz - interval '1 day'
          AND (parts @> ${known}::jsonb OR parts @> '[{"status": "published", "externalId": null}]')
        UNION
        SELECT id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id IN (SELECT id FROM doors) AND id <> ${id}
          AND status = 'sending'`;
      return findDeliveriesByIds(rows.map((row) => row.id));
    },

    async listDue(limit) {
      return client.$queryRaw<{ id: DeliveryId; workspaceId: WorkspaceId; status: DeliveryStatus }[]>`
        SELECT id, workspace_id AS "workspaceId", status
        FROM ((${selectDueForDelivery(limit)}) UNION ALL (${selectDueForReadBack(limit)})) AS due
        ORDER BY since NULLS FIRST, id LIMIT ${limit}`;
    },

    async lockContent(connectionId, contentDigest) {
      const turn = `content ${connectionId} ${contentDigest}`;
      await client.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turn}, 0))::text`;
    },

    async insert({ deliveries, ...post }) {
      const rows = deliveries.map((one, position) => toRow({ ...flattenAccount(one), position }));
      // Triggers on deliveries set the status; a post without deliveries has none.
      const settledStatus = deliveries.length === 0 ? 'cancelled' : null;
      await client.$executeRaw`
        WITH written AS (
          INSERT INTO posts SELECT * FROM jsonb_populate_record(NULL::posts, ${JSON.stringify(toRow({ ...post, settledStatus }))}::jsonb)
        )
        INSERT INTO deliveries
        SELECT * FROM jsonb_populate_recordset(NULL::deliveries, ${JSON.stringify(rows)}::jsonb)`;
    },

    async lock(workspaceId, id) {
      const lockDeliveries = () =>
        client.$queryRaw`SELECT id FROM deliveries WHERE workspace_id = ${workspaceId} AND post_id = ${id} ORDER BY id FOR UPDATE`;
      // Locks deliveries before their post, the same order as settlement. Then locks the deliveries added
      // meanwhile.
      await lockDeliveries();
      await client.$queryRaw`SELECT id FROM posts WHERE workspace_id = ${workspaceId} AND id = ${id} FOR UPDATE`;
      await lockDeliveries();
      return posts.find(workspaceId, id);
    },

    async rewrite({ deliveries, ...post }) {
      const { id, workspaceId } = post;
      const { createdAt: _, createdBy: __, version: ___, ...columns } = toPostColumns(post);
      const where = { workspaceId, postId: id };
      await client.post.update({
        where: { workspaceId_id: { workspaceId, id } },
        data: { ...columns, updatedAt: await databaseNow(), version: { increment: 1 } },
      });
      await client.delivery.deleteMany({
        where: { ...where, id: { notIn: deliveries.map((one) => one.id) } },
      });
      // Moves all positions to unused values first: two rows must not share one even temporarily.
      await client.delivery.updateMany({ where, data: { position: { increment: 1000 } } });
      for (const [position, one] of deliveries.entries()) {
        const { epoch, ...data } = toDeliveryColumns(one, position);
        const known = await client.delivery.updateMany({
          where: { ...where, id: one.id },
          data: { ...data, epoch: { increment: 1 }, leaseUntil: null },
        });
        if (known.count === 0) await client.delivery.create({ data: { ...data, ...where, epoch } });
      }
    },

    async claimDelivery(id, leaseSeconds) {
      const [claimed] = await runClaim(
        Prisma.sql`UPDATE deliveries SET ${claimForDelivery(leaseSeconds)} WHERE id = ${id} AND ${isDueForDelivery}`,
      );
      return claimed ?? null;
    },

    async claimReadBack(id, leaseSeconds) {
      const [claimed] = await runClaim(
        Prisma.sql`UPDATE deliveries SET ${claimForReadBack(leaseSeconds)} WHERE id = ${id} AND ${isClaimableForReadBack}`,
      );
      return claimed ?? null;
    },

    async claimDue(as, room, leaseSeconds) {
      const claimColumns = as === 'deliver' ? claimForDelivery(leaseSeconds) : claimForReadBack(leaseSeconds);
      return runClaim(
        Prisma.sql`UPDATE deliveries SET ${claimColumns} WHERE id = ANY (ARRAY(${selectClaimable(as, room)}))`,
      );
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

    async extendLease(id, epoch, leaseSeconds) {
      const count = await client.$executeRaw`
        UPDATE deliveries SET lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE id = ${id} AND epoch = ${epoch} AND lease_until IS NOT NULL`;
      return count === 1;
    },

    async recordParts(id, epoch, { parts, ...rest }) {
      const [row] = await client.delivery.updateManyAndReturn({
        where: { id, epoch },
        data: { ...rest, parts: writeJson(parts) },
        select: { postId: true },
      });
      if (row) await bumpVersion(row.postId);
      return row !== undefined;
    },

    async settleDelivery(id, epoch, changes) {
      return (await posts.settleDeliveries([{ id, epoch, changes }])).has(id);
    },

    async settleDeliveries(endings) {
      return new Set(await runUpdate(settleStatement(endings)));
    },

    async cancelUnsent(workspaceId, id) {
      const which = Prisma.sql`workspace_id = ${workspaceId} AND post_id = ${id}`;
      return (await runUpdate(cancelStatement(which))).length;
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

    async listMissed(workspaceId, reach, since, page) {
      return toPage(await selectMissed(client, workspaceId, reach, since, page), page, (row) => row);
    },

    async unblock(workspaceId, connectionId) {
      const unblockStatement = Prisma.sql`
        UPDATE deliveries SET status = 'pending', next_attempt_at = NULL, error = NULL
        WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND status = 'blocked'`;
      return findDeliveriesByIds(await runUpdate(unblockStatement));
    },

    async insertAttempt(...attempts) {
      await client.$executeRaw`
        INSERT INTO delivery_attempts
        SELECT * FROM jsonb_populate_recordset(NULL::delivery_attempts, ${jsonText(attempts.map(toRow))}::jsonb)`;
    },
  };
  return posts;
}
