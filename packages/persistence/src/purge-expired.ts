import { formatId } from '@switchboard/domain';
import type { DatabaseClient } from './columns.js';
import { RETENTION_HOURS } from './prisma-idempotency.js';

/** The rows per statement, which limits how long locks are held. */
const BATCH = 1000;
const DAY_MS = 86_400_000;
/** The random bytes of an id. */
const ID_BYTES = 10;

/**
 * Deletes expired rows: idempotency responses after 72 hours, unfinished connect flows, quotes unused a day
 * after they expired, and yesterday's request counts; renewal receipts, which contain tokens, when another's
 * has been stored for a day or the account was reconnected; events after `eventDays` days. Returns the number
 * of deleted rows; call again while it is not 0.
 */
export async function purgeExpired(
  client: DatabaseClient,
  { now, eventDays }: { readonly now: Date; readonly eventDays: number },
): Promise<number> {
  const answers = await client.$executeRaw`
    DELETE FROM idempotency_keys WHERE ctid IN (
      SELECT ctid FROM idempotency_keys
      WHERE created_at <= now() - make_interval(hours => ${RETENTION_HOURS}) AND (lease_until IS NULL OR lease_until <= now())
      LIMIT ${BATCH})`;
  const flows = await client.$executeRaw`
    DELETE FROM connect_flows WHERE state_hash IN (
      SELECT state_hash FROM connect_flows WHERE expires_at <= now() LIMIT ${BATCH})`;
  const quotes = await client.$executeRaw`
    DELETE FROM quotes WHERE id IN (
      SELECT q.id FROM quotes q
      WHERE q.expires_at <= now() - interval '1 day' AND q.used_by IS NULL
        AND NOT EXISTS (SELECT FROM refunds r WHERE r.workspace_id = q.workspace_id AND r.quote_id = q.id)
      LIMIT ${BATCH})`;
  const counts = await client.$executeRaw`
    DELETE FROM rate_limits WHERE bucket IN (
      SELECT bucket FROM rate_limits WHERE ends_at <= now() - interval '1 day' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
  const slots = await client.$executeRaw`
    DELETE FROM waiting_slots WHERE (workspace_id, holder) IN (
      SELECT workspace_id, holder FROM waiting_slots WHERE lease_until <= now() - interval '1 day' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
  const receipts = await client.$executeRaw`
    DELETE FROM refresh_receipts WHERE attempt IN (
      SELECT r.attempt FROM refresh_receipts r JOIN credentials c ON c.connection_id = r.connection_id
      WHERE r.generation < c.generation OR r.generation <= c.granted_as
        OR (r.generation = c.generation AND r.received_at <= now() - interval '1 day')
      LIMIT ${BATCH})`;
  // The id of an event begins with its time.
  const firstKept = formatId('evt', now.getTime() - eventDays * DAY_MS, new Uint8Array(ID_BYTES));
  const events = await client.$executeRaw`
    DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < ${firstKept} ORDER BY id LIMIT ${BATCH})`;
  return answers + flows + quotes + counts + slots + receipts + events;
}
