import type { WorkspaceId } from '@switchboard/domain';
import type { Event } from '@switchboard/domain/events';
import type { EventFeed } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

/** The events that one call inspects at most, so that a filter without matches does not read all of them. */
const INSPECTED_MAX = 2000;

/** The advisory locks of transactions that append events: these 16 bits, then 48 bits of a sequence number. */
const LOCKS = 0x5357n << 48n;
const NUMBER_BITS = (1n << 48n) - 1n;

/**
 * The rows of `events` as they are inserted, with their number in the order of the list. Until its end, the
 * transaction holds a lock that states a number which none of its events is below. The number is read before the
 * lock and the events' own numbers are taken after it, so that a reader who sees no such lock knows that every
 * event up to the last number is committed or will never be.
 */
export const insertEvents = (events: readonly object[]) => Prisma.sql`
  INSERT INTO events (id, workspace_id, type, profile_id, data, traceparent, seq)
  SELECT id, "workspaceId", type, "profileId", data, traceparent, nextval('events_seq_seq')
  FROM (SELECT pg_advisory_xact_lock_shared(${LOCKS}::bigint | last_value) FROM events_seq_seq OFFSET 0) AS locked,
    jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      AS event (id text, "workspaceId" text, type text, "profileId" text, data jsonb, traceparent text)`;

interface EventRow {
  readonly id: string | null;
  readonly type: Event['type'];
  readonly profileId: Event['profileId'];
  readonly data: Event['data'];
  readonly createdAt: Date;
  readonly seq: bigint;
  readonly inspected: number;
  readonly lastInspected: bigint | null;
  readonly isPending: boolean;
}

export function prismaEvents(client: DatabaseClient): EventFeed {
  /**
   * The last number below which no event can be added any more. A statement of its own: the rows must be read
   * with a later snapshot. The last number is read before the locks.
   */
  async function findLastComplete(): Promise<bigint> {
    const [sequence] = await client.$queryRaw<{ last: bigint }[]>`
      SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM events_seq_seq`;
    const [running] = await client.$queryRaw<{ lowest: bigint | null }[]>`
      SELECT min(((classid::bigint << 32) | objid::bigint) & ${NUMBER_BITS}::bigint) AS lowest FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint >> 16) = ${LOCKS >> 48n}::bigint
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    if (!sequence) throw new Error('the sequence of events returned no row');
    const lowest = running?.lowest ?? null;
    return lowest === null || sequence.last < lowest ? sequence.last : lowest - 1n;
  }

  return {
    async list(workspaceId, { reach, types }, { after, limit }) {
      const start = BigInt(after ?? 0);
      const complete = await findLastComplete();
      const ofTypes = types ? Prisma.sql`AND type = ANY (${[...types]}::text[])` : Prisma.empty;
      const ofProfiles = reach ? Prisma.sql`AND profile_id = ANY (${[...reach]}::text[])` : Prisma.empty;
      const rows = await client.$queryRaw<EventRow[]>`
        WITH inspected AS MATERIALIZED (
          SELECT id, type, profile_id, data, created_at, seq FROM events
          WHERE workspace_id = ${workspaceId} AND seq > ${start} AND seq <= ${complete}
          ORDER BY seq LIMIT ${INSPECTED_MAX}),
        page AS (SELECT * FROM inspected WHERE true ${ofTypes} ${ofProfiles} ORDER BY seq LIMIT ${limit})
        SELECT page.id, page.type, page.profile_id AS "profileId", page.data, page.created_at AS "createdAt", page.seq,
          whole.*, coalesce((SELECT max(seq) FROM events WHERE workspace_id = ${workspaceId}) > ${complete}, false) AS "isPending"
        FROM (SELECT count(*)::int AS inspected, max(seq) AS "lastInspected" FROM inspected) AS whole
        LEFT JOIN page ON true ORDER BY page.seq`;
      const [first] = rows;
      if (!first) throw new Error('the query of events returned no row');
      const events = rows.filter(({ id }) => id !== null);
      const lastListed = events.at(-1)?.seq ?? null;
      const isFull = events.length === limit && lastListed !== first.lastInspected;
      const isCut = first.inspected === INSPECTED_MAX;
      const end = complete > start ? complete : start;
      return {
        items: events.map((row) => toEvent(workspaceId, row)),
        position: String((isFull && lastListed) || (isCut && first.lastInspected) || end),
        hasMore: isFull || isCut,
        isPending: first.isPending,
      };
    },
    findEnd: async () => String(await findLastComplete()),
    async findRange(workspaceId, since, until) {
      // Without OFFSET 0, min and max could each search every event of the workspace in the order of seq.
      const [range] = await client.$queryRaw<{ first: bigint | null; last: bigint | null }[]>`
        SELECT min(seq) AS first, max(seq) AS last FROM (
          SELECT seq FROM events
          WHERE workspace_id = ${workspaceId} AND created_at >= ${since} AND created_at < ${until} OFFSET 0
        ) AS of_period`;
      const { first = null, last = null } = range ?? {};
      return first === null || last === null ? null : { after: String(first - 1n), through: String(last) };
    },
  };
}

const toEvent = (
  workspaceId: WorkspaceId,
  { id, type, profileId, data, createdAt, seq }: EventRow,
): Event => ({
  id: id as Event['id'],
  workspaceId,
  type,
  profileId,
  data,
  createdAt,
  sequence: Number(seq),
});
