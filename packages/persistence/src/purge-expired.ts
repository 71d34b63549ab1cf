import { formatId } from '@switchboard/domain';
import { DELIVERY_DAYS } from '@switchboard/domain/orders';
import type { DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import { RETENTION_HOURS } from './prisma-idempotency.js';

/** The rows per statement, which limits how long locks are held. */
const BATCH = 1000;
/** How long settled webhook deliveries are listed. */
const WEBHOOK_DELIVERY_DAYS = 14;
const DAY_MS = 86_400_000;
/** How long a dynamic registration is kept while no client is authorized with it. */
const REGISTRATION_DAYS = 30;
/** The random bytes of an id. */
const ID_BYTES = 10;

/** How long rows are kept that only grow, in whole days before `now`. */
interface Retention {
  readonly now: Date;
  readonly eventDays: number;
  readonly historyDays: number;
}

/**
 * Deletes expired rows: idempotency responses after 72 hours, unfinished connect flows, quotes unused a day
 * after they expired, and yesterday's request counts; renewal receipts, which contain tokens, when another's
 * has been stored for a day or the account was reconnected; webhook deliveries 14 days after they were settled, and
 * the ids of received ones after 7 days;
 * events after `eventDays` days; invitations and the codes and tokens of OAuth clients a day after they
 * expired, and registrations of OAuth clients after 30 days without an authorized client. After `historyDays` days the attempts of settled deliveries, connect sessions,
 * used quotes,
 * and dismissals of attention items. Returns the number of deleted rows; call again while it is not 0.
 */
export async function purgeExpired(
  client: DatabaseClient,
  { now, eventDays, historyDays }: Retention,
): Promise<number> {
  /** The first id of its kind that is as young as so many days: an id begins with its time. */
  const firstKept = (kind: 'evt' | 'att' | 'cns', days: number) =>
    formatId(kind, now.getTime() - days * DAY_MS, new Uint8Array(ID_BYTES));
  const deletions = [
    Prisma.sql`
      DELETE FROM idempotency_keys WHERE ctid IN (
        SELECT ctid FROM idempotency_keys
        WHERE created_at <= now() - make_interval(hours => ${RETENTION_HOURS}) AND (lease_until IS NULL OR lease_until <= now())
        LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM connect_flows WHERE state_hash IN (
        SELECT state_hash FROM connect_flows WHERE expires_at <= now() LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM quotes WHERE id IN (
        SELECT q.id FROM quotes q
        WHERE q.expires_at <= now() - interval '1 day' AND q.used_by IS NULL
          AND NOT EXISTS (SELECT FROM refunds r WHERE r.workspace_id = q.workspace_id AND r.quote_id = q.id)
        LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM rate_limits WHERE bucket IN (
        SELECT bucket FROM rate_limits WHERE ends_at <= now() - interval '1 day' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    Prisma.sql`
      DELETE FROM waiting_slots WHERE (workspace_id, holder) IN (
        SELECT workspace_id, holder FROM waiting_slots WHERE lease_until <= now() - interval '1 day' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    Prisma.sql`
      DELETE FROM refresh_receipts WHERE attempt IN (
        SELECT r.attempt FROM refresh_receipts r JOIN credentials c ON c.connection_id = r.connection_id
        WHERE r.generation < c.generation OR r.generation <= c.granted_as
          OR (r.generation = c.generation AND r.received_at <= now() - interval '1 day')
        LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM webhook_deliveries
        WHERE status <> 'pending' AND settled_at <= now() - make_interval(days => ${WEBHOOK_DELIVERY_DAYS}) LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM store_webhook_deliveries WHERE (connection_id, delivery_id) IN (
        SELECT connection_id, delivery_id FROM store_webhook_deliveries
        WHERE received_at <= now() - make_interval(days => ${DELIVERY_DAYS}) LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE expires_at <= now() - interval '1 day' LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM oauth_records WHERE (kind, digest) IN (
        SELECT kind, digest FROM oauth_records WHERE expires_at <= now() - interval '1 day' LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM oauth_records WHERE (kind, digest) IN (
        SELECT r.kind, r.digest FROM oauth_records r
        WHERE r.kind = 'client' AND r.created_at <= now() - make_interval(days => ${REGISTRATION_DAYS}) AND NOT EXISTS (
          SELECT FROM authorized_clients c WHERE c.oauth_client_id = r.payload ->> 'client_id' AND c.revoked_at IS NULL)
        LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < ${firstKept('evt', eventDays)} ORDER BY id LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM delivery_attempts WHERE id IN (
        SELECT a.id FROM delivery_attempts a
        JOIN deliveries d ON d.workspace_id = a.workspace_id AND d.id = a.delivery_id
        WHERE a.id < ${firstKept('att', historyDays)} AND d.status IN ('published', 'failed', 'missed', 'cancelled', 'deleted')
        ORDER BY a.id LIMIT ${BATCH})`,
    // A login that waits for its choice is revoked first.
    Prisma.sql`
      DELETE FROM connect_sessions WHERE id IN (
        SELECT s.id FROM connect_sessions s
        WHERE s.id < ${firstKept('cns', historyDays)} AND s.expires_at <= now()
          AND NOT EXISTS (SELECT FROM connect_choices c WHERE c.workspace_id = s.workspace_id AND c.session_id = s.id)
        ORDER BY s.id LIMIT ${BATCH})`,
    Prisma.sql`
      DELETE FROM dismissals WHERE ctid IN (
        SELECT ctid FROM dismissals WHERE dismissed_at <= now() - make_interval(days => ${historyDays}::int) LIMIT ${BATCH})`,
  ];
  let deleted = 0;
  for (const statement of deletions) deleted += await client.$executeRaw(statement);
  const [usedQuotes] = await client.$queryRaw<{ count: number }[]>`
    WITH old AS (
      SELECT q.workspace_id, q.id FROM quotes q
      WHERE q.expires_at <= now() - make_interval(days => ${historyDays}::int) AND NOT EXISTS (
        SELECT FROM refunds r WHERE r.workspace_id = q.workspace_id AND (r.id = q.used_by OR r.quote_id = q.id)
          AND r.status NOT IN ('succeeded', 'failed'))
      ORDER BY q.expires_at LIMIT ${BATCH}
    ), unlinked AS (
      UPDATE refunds r SET quote_id = NULL FROM old WHERE r.workspace_id = old.workspace_id AND r.quote_id = old.id
    ), deleted AS (DELETE FROM quotes q USING old WHERE q.workspace_id = old.workspace_id AND q.id = old.id RETURNING 1)
    SELECT count(*)::int AS count FROM deleted`;
  return deleted + (usedQuotes?.count ?? 0);
}
