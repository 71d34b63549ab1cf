import type { ConnectionSelection, AnalyticsSource } from '@switchboard/domain/ports';
import { Prisma } from './generated/client.js';

export const countsOnce = (source: AnalyticsSource, selection: Pick<ConnectionSelection, 'connectionIds'>) =>
  source === 'switchboard'
    ? Prisma.sql`m.delivery_id IS NOT NULL`
    : Prisma.sql`(m.external_post_id IS NULL OR ${externalPostCountsOnce(selection)})`;

/**
 * Whether the external post of a row `m` of latest_metrics counts. It does not where one of the connections
 * published it (or may have: a platform that assigns the public id later has not done so yet), or where another
 * connection of the same account has newer metrics of it.
 */
export const externalPostCountsOnce = ({ connectionIds }: Pick<ConnectionSelection, 'connectionIds'>) =>
  Prisma.sql`NOT EXISTS (
        SELECT FROM external_posts e
        JOIN connections own ON own.workspace_id = e.workspace_id AND own.id = e.connection_id
        JOIN connections same ON same.workspace_id = e.workspace_id AND same.id = ANY (${[...connectionIds]}::text[])
          AND same.platform = own.platform AND same.account_server = own.account_server AND same.account_id = own.account_id
        WHERE e.workspace_id = m.workspace_id AND e.id = m.external_post_id AND (
          EXISTS (
            SELECT FROM deliveries d
            WHERE d.workspace_id = e.workspace_id AND d.connection_id = same.id AND d.external_id = e.external_id)
          OR EXISTS (
            SELECT FROM deliveries d
            WHERE d.workspace_id = e.workspace_id AND d.connection_id = same.id AND d.status = 'published'
              AND d.resolve_url_at IS NOT NULL
              AND d.published_at > e.published_at - interval '1 day' AND d.published_at < e.published_at + interval '1 hour')
          OR EXISTS (
            SELECT FROM external_posts o JOIN latest_metrics l ON l.subject = o.id
            WHERE o.workspace_id = e.workspace_id AND o.connection_id = same.id AND o.external_id = e.external_id
              AND (coalesce(l.taken_at, '-infinity'), o.id) > (coalesce(m.taken_at, '-infinity'), e.id))))`;
