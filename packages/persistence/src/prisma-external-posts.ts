import type { ConnectionId } from '@switchboard/domain';
import { EXTERNAL_POSTS_DAYS, type ExternalPost, type PostListing } from '@switchboard/domain/analytics';
import type { ExternalPosts } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';

export function prismaExternalPosts(client: DatabaseClient): ExternalPosts {
  return {
    async listByIds(workspaceId, ids) {
      const rows = await client.externalPost.findMany({ where: { workspaceId, id: { in: [...ids] } } });
      return rows as ExternalPost[];
    },
    async listListings(workspaceId, connectionIds) {
      const rows = await client.postListing.findMany({
        where: { workspaceId, connectionId: { in: [...connectionIds] } },
      });
      return new Map(
        (rows as PostListing[]).map((row): [ConnectionId, PostListing] => [row.connectionId, row]),
      );
    },
    async request(workspaceId, connectionIds, at) {
      await client.$executeRaw`
        WITH asked AS (
          SELECT c.id, l.requested_at FROM connections c LEFT JOIN post_listings l ON l.connection_id = c.id
          WHERE c.workspace_id = ${workspaceId} AND c.id = ANY (${[...connectionIds]}::text[])
        ), recorded AS (
          INSERT INTO post_listings (connection_id, workspace_id, requested_at)
          SELECT id, ${workspaceId}, ${at} FROM asked ORDER BY id
          ON CONFLICT (connection_id) DO UPDATE SET requested_at = excluded.requested_at
            WHERE post_listings.requested_at < excluded.requested_at
        )
        UPDATE latest_metrics m SET next_read_at = now()
        FROM asked
        WHERE m.workspace_id = ${workspaceId} AND m.connection_id = asked.id AND m.external_post_id IS NOT NULL
          AND m.next_read_at IS NULL AND m.published_at > ${at}::timestamptz - interval '90 days'
          AND asked.requested_at < ${at}::timestamptz - make_interval(days => ${EXTERNAL_POSTS_DAYS})`;
    },
    async save(listing, posts) {
      const { workspaceId, connectionId, listedAt, knownSince, resumeCursor, listedCount, limited } = listing;
      await client.postListing.updateMany({
        where: { workspaceId, connectionId },
        data: { listedAt, knownSince, resumeCursor, listedCount, limited },
      });
      if (posts.length === 0) return [];
      const externalIds = posts.map(({ externalId }) => externalId);
      await client.$executeRaw`
        DELETE FROM external_posts e USING deliveries d
        WHERE e.workspace_id = ${workspaceId} AND e.connection_id = ${connectionId} AND e.external_id = ANY (${externalIds}::text[])
          AND d.workspace_id = e.workspace_id AND d.connection_id = e.connection_id AND d.external_id = e.external_id`;
      return client.$queryRaw<ExternalPost[]>`
        INSERT INTO external_posts (id, workspace_id, connection_id, external_id, published_at, url, text)
        SELECT listed.id, ${workspaceId}, ${connectionId}, listed."externalId", listed."publishedAt", listed.url, listed.text
        FROM jsonb_to_recordset(${JSON.stringify(posts)}::jsonb) AS listed (id text, "externalId" text,
          "publishedAt" timestamptz, url text, text text)
        WHERE NOT EXISTS (
          SELECT FROM deliveries d
          WHERE d.workspace_id = ${workspaceId} AND d.connection_id = ${connectionId} AND d.external_id = listed."externalId")
        ORDER BY listed."externalId"
        ON CONFLICT (workspace_id, connection_id, external_id) DO UPDATE SET url = excluded.url, text = excluded.text
        RETURNING id, workspace_id AS "workspaceId", connection_id AS "connectionId", external_id AS "externalId",
          published_at AS "publishedAt", url, text`;
    },
  };
}
