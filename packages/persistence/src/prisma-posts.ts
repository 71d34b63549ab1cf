import type { ConnectionId, PostId } from '@switchboard/domain';
import type { Posts } from '@switchboard/domain/ports';
import { isToSend, type Post } from '@switchboard/domain/posts';
import { type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { DeliveryModel, PostModel } from './generated/models.js';
import { insertPosts } from './insert-posts.js';
import { toPage } from './keyset.js';
import { modelColumns, pickRow } from './model-columns.js';
import { toDeliveryColumns, toPost, toPostColumns } from './post-rows.js';
import { prismaPauses } from './prisma-pauses.js';
import { selectPostIds } from './post-sql.js';
import { isOneOf } from './query-runner.js';

const postColumns = modelColumns('posts', Prisma.PostScalarFieldEnum);
const postAndDeliveryColumns = Prisma.join([
  modelColumns('posts', Prisma.PostScalarFieldEnum, 'post.'),
  modelColumns('deliveries', Prisma.DeliveryScalarFieldEnum, 'delivery.'),
]);
const deliveryColumns = modelColumns('deliveries', Prisma.DeliveryScalarFieldEnum);

export function prismaPosts(client: DatabaseClient, currentTraceparent: () => string | null): Posts {
  const databaseNow = async () => {
    const [row] = await client.$queryRaw<{ at: Date }[]>`SELECT now() AS at`;
    if (!row) throw new Error('the clock query returned no row');
    return row.at;
  };

  /** With what holds them, where something is still to be sent. */
  async function toPosts(rows: readonly Parameters<typeof toPost>[0][]): Promise<Post[]> {
    const posts = rows.map(toPost);
    const openIds = (deliveries: Post['deliveries']) =>
      deliveries.filter(isToSend).map((one) => one.connectionId);
    const holds = await prismaPauses(client).listHolds(posts.flatMap((post) => openIds(post.deliveries)));
    if (holds.size === 0) return posts;
    const entryOf = (id: ConnectionId) => {
      const scope = holds.get(id);
      return scope ? [[id, scope] as const] : [];
    };
    return posts.map((post) => ({
      ...post,
      holds: Object.fromEntries(openIds(post.deliveries).flatMap(entryOf)),
    }));
  }

  const posts: Posts = {
    async find(workspaceId, id) {
      // One statement: the post and its deliveries at the same time.
      const rows = await client.$queryRaw<Record<string, unknown>[]>`
        SELECT ${postAndDeliveryColumns} FROM posts
        LEFT JOIN deliveries ON deliveries.workspace_id = posts.workspace_id AND deliveries.post_id = posts.id
        WHERE posts.workspace_id = ${workspaceId} AND posts.id = ${id} ORDER BY deliveries.position`;
      if (!rows[0]) return null;
      const deliveries = rows
        .filter((row) => row['delivery.id'] !== null)
        .map((row) => pickRow<DeliveryModel>(row, Prisma.DeliveryScalarFieldEnum, 'delivery.'));
      const row = pickRow<PostModel>(rows[0], Prisma.PostScalarFieldEnum, 'post.');
      return (await toPosts([{ ...row, deliveries }]))[0] ?? null;
    },

    async list(workspaceId, filter, page) {
      const { sort, ...wanted } = filter;
      const found = await client.$queryRaw<{ id: PostId }[]>(
        selectPostIds(workspaceId, wanted, { sort, after: page.after, limit: page.limit + 1 }),
      );
      const byId = new Map((await posts.listByIds(found.map(({ id }) => id))).map((post) => [post.id, post]));
      // One may have been deleted since.
      const listed = found.flatMap(({ id }) => byId.get(id) ?? []);
      const positionOf = ({ id, scheduledAt }: Post) =>
        sort === 'scheduled_at' ? `${scheduledAt.toISOString()} ${id}` : id;
      return toPage(listed, page, (post) => post, positionOf);
    },

    async listByIds(ids) {
      const rows = await client.$queryRaw<PostModel[]>`
        SELECT ${postColumns} FROM posts WHERE ${isOneOf('id', ids)}`;
      const deliveries = await client.$queryRaw<DeliveryModel[]>`
        SELECT ${deliveryColumns} FROM posts
        JOIN deliveries ON deliveries.workspace_id = posts.workspace_id AND deliveries.post_id = posts.id
        WHERE ${isOneOf('posts.id', ids)} ORDER BY deliveries.position`;
      const byPost = Map.groupBy(deliveries, ({ postId }) => postId);
      return toPosts(rows.map((row) => ({ ...row, deliveries: byPost.get(row.id) ?? [] })));
    },

    async findDuplicate(workspaceId, connectionId, contentDigest, around, except) {
      const [row] = await client.$queryRaw<{ id: PostId }[]>`
        SELECT post_id AS id FROM deliveries
        WHERE workspace_id = ${workspaceId} AND connection_id = ${connectionId} AND content_digest = ${contentDigest}
          AND post_id <> ${except ?? ''} AND status NOT IN ('failed', 'missed', 'cancelled', 'deleted')
          AND parts -> 0 -> 'removedAt' IS NULL
          AND coalesce(published_at, scheduled_at) BETWEEN ${around}::timestamptz - interval '1 day' AND ${around}::timestamptz + interval '1 day'
        ORDER BY id DESC LIMIT 1`;
      return row?.id ?? null;
    },

    async lockContent(connectionId, contentDigest) {
      const turn = `content ${connectionId} ${contentDigest}`;
      await client.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turn}, 0))::text`;
    },

    insert: (post) => insertPosts(client, [post], currentTraceparent()),

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
        if (known.count === 0)
          await client.delivery.create({
            data: { ...data, ...where, epoch, traceparent: currentTraceparent() },
          });
      }
    },
  };
  return posts;
}
