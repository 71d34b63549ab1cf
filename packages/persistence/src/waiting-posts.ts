import type { PageRequest, ProfileId, WorkspaceId } from '@switchboard/domain';
import { TITLE_CHARACTERS } from '@switchboard/domain/attention';
import type { DeliveryInReview, UnpublishedPost, UnpublishedReason } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import { isWaiting } from './post-sql.js';

type Reach = readonly ProfileId[] | null;

/** Restricts to posts of these profiles; empty for all profiles. */
const createReachCondition = (reach: Reach) =>
  reach === null ? Prisma.empty : Prisma.sql`AND p.profile_id = ANY (${[...reach]})`;

/**
 * Statuses are literals, so that the partial indexes over the few waiting posts are used for every caller.
 * One extra row.
 */
export const selectInReview = (
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  reach: Reach,
  { limit, after }: PageRequest,
): Promise<DeliveryInReview[]> => client.$queryRaw`
  SELECT d.id, d.post_id AS "postId", d.connection_id AS "connectionId", d.platform,
    jsonb_build_object('id', d.account_id, 'username', d.account_username, 'name', d.account_name) AS account,
    left(p.text, ${TITLE_CHARACTERS}::int) AS text,
    coalesce((SELECT max(a.at) FROM delivery_attempts a WHERE a.workspace_id = d.workspace_id AND a.delivery_id = d.id),
      d.scheduled_at) AS since
  FROM deliveries d JOIN posts p ON p.workspace_id = d.workspace_id AND p.id = d.post_id
  WHERE d.workspace_id = ${workspaceId} AND d.status = 'needs_review' ${createReachCondition(reach)}
    ${after === undefined ? Prisma.empty : Prisma.sql`AND d.id < ${after}`}
  ORDER BY d.id DESC LIMIT ${limit + 1}`;

const reasonConditions: Readonly<Record<UnpublishedReason, Prisma.Sql>> = {
  missed: Prisma.sql`d.status = 'missed'`,
  failed: Prisma.sql`d.status = 'failed'`,
  media_failed: Prisma.sql`d.${isWaiting} AND d.error ->> 'code' = 'media.failed'`,
};

/** Their deliveries are read in the order of a partial index per reason, limited to the page. */
export const selectUnpublished = (
  client: DatabaseClient,
  workspaceId: WorkspaceId,
  reason: UnpublishedReason,
  reach: Reach,
  since: Date,
  { limit, after }: PageRequest,
): Promise<UnpublishedPost[]> => client.$queryRaw`
  SELECT page.*, p.timezone, left(p.text, ${TITLE_CHARACTERS}::int) AS text
  FROM (
    SELECT d.post_id AS id,
      jsonb_agg(
        jsonb_build_object('platform', d.platform, 'username', d.account_username, 'name', d.account_name)
        ORDER BY d.position
      ) AS accounts,
      array_remove(array_agg(DISTINCT d.error ->> 'code'), NULL) AS codes,
      sum(d.epoch + 1)::int AS occurrence,
      max(${reason === 'missed' ? Prisma.sql`d.not_after` : Prisma.sql`d.scheduled_at`}) AS at
    FROM deliveries d
    WHERE d.workspace_id = ${workspaceId} AND ${reasonConditions[reason]} AND d.not_after > ${since}
      ${after === undefined ? Prisma.empty : Prisma.sql`AND d.post_id < ${after}`}
      ${
        reach === null
          ? Prisma.empty
          : Prisma.sql`AND EXISTS (SELECT FROM posts p WHERE p.workspace_id = d.workspace_id AND p.id = d.post_id ${createReachCondition(reach)})`
      }
      AND EXISTS (SELECT FROM connections c
        WHERE c.workspace_id = d.workspace_id AND c.id = d.connection_id AND c.deleted_at IS NULL)
    GROUP BY d.post_id ORDER BY d.post_id DESC LIMIT ${limit + 1}
  ) AS page JOIN posts p ON p.workspace_id = ${workspaceId} AND p.id = page.id
  ORDER BY page.id DESC`;
