import type { ConnectionId } from '@switchboard/domain';
import type { Pause, PauseScope, Promotion } from '@switchboard/domain/pauses';
import type { Pauses } from '@switchboard/domain/ports';
import { omitUndefined, readJson, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { InstallationModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';
import { toDelivery } from './post-rows.js';
import { isWaiting } from './post-sql.js';
import { writeNullableJson } from './write-nullable-json.js';
import { isOneOf } from './query-runner.js';

const id = 1;
const installationRows = rowsOf<InstallationModel>('installation', Prisma.InstallationScalarFieldEnum);

/** A common table expression: what is held, see `held_connections` in beyond-schema.sql. Evaluated once. */
export const held = Prisma.sql`held AS MATERIALIZED (SELECT held_connections() AS ids)`;

/** Within `WITH ${held}`. Where the whole installation is paused, the first condition ends the scan before its first row. */
export const isNotHeld = Prisma.sql`((SELECT ids IS NOT NULL FROM held) AND connection_id <> ALL ((SELECT ids FROM held)::text[]))`;

type StoredPause = Omit<Pause, 'at'> & { readonly at: string };

export function readPause(value: Prisma.JsonValue): Pause | null {
  const stored = readJson<StoredPause | null>(value);
  return stored && { ...stored, at: new Date(stored.at) };
}

function readPromotion(value: Prisma.JsonValue): Promotion | null {
  const stored = readJson<(Omit<Promotion, 'at'> & { readonly at: string }) | null>(value);
  return stored && { ...stored, at: new Date(stored.at) };
}

export const toPauseColumns = (pause: Pause | null) => ({
  paused: pause !== null,
  pause: writeNullableJson(pause),
});

export const prismaPauses = (client: DatabaseClient): Pauses => ({
  async findInstallation() {
    const [row] = await installationRows(client, Prisma.sql`WHERE id = ${id}`);
    return {
      publicUrl: row?.publicUrl ?? null,
      pause: readPause(row?.pause ?? null),
      timeline: row?.timeline ?? null,
      promotion: readPromotion(row?.promotion ?? null),
    };
  },
  async listHolds(ids) {
    if (ids.length === 0) return new Map();
    const rows = await client.$queryRaw<{ id: ConnectionId; scope: PauseScope }[]>`
      SELECT c.id, CASE WHEN i.pause IS NOT NULL THEN 'installation' WHEN p.paused THEN 'profile' ELSE 'connection' END AS scope
      FROM connections c
      LEFT JOIN profiles p ON p.workspace_id = c.workspace_id AND p.id = c.profile_id
      LEFT JOIN installation i ON i.id = ${id}
      WHERE ${isOneOf('c.id', [...new Set(ids)])} AND (i.pause IS NOT NULL OR p.paused OR c.paused)`;
    return new Map(rows.map((row) => [row.id, row.scope]));
  },
  async countPaused() {
    const [counts] = await client.$queryRaw<Record<PauseScope, number>[]>`
      SELECT (SELECT count(*)::int FROM installation WHERE pause IS NOT NULL) AS installation,
        (SELECT count(*)::int FROM profiles WHERE paused) AS profile,
        (SELECT count(*)::int FROM connections WHERE paused) AS connection`;
    if (!counts) throw new Error('a count returned no row');
    return counts;
  },
  async lock() {
    await client.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('pauses', 0))::text`;
  },
  async updateInstallation({ pause, publicUrl, timeline, promotion }) {
    const changes = {
      ...(pause !== undefined && { pause: writeNullableJson(pause) }),
      ...omitUndefined({ publicUrl, timeline }),
      ...(promotion !== undefined && { promotion: writeNullableJson(promotion) }),
    };
    await client.installation.upsert({ where: { id }, create: { id, ...changes }, update: changes });
  },
  async doubtOverdue(limit) {
    const rows = await client.$queryRaw<{ id: string }[]>`
      WITH doubted AS (
        UPDATE deliveries SET status = 'unknown', next_attempt_at = NULL, error = NULL
        WHERE ${isWaiting} AND id = ANY (ARRAY(
          (SELECT id FROM deliveries WHERE status IN ('pending', 'retrying') AND coalesce(next_attempt_at, scheduled_at) <= now()
            ORDER BY coalesce(next_attempt_at, scheduled_at) LIMIT ${limit})
          UNION ALL
          (SELECT id FROM deliveries WHERE status = 'blocked' AND scheduled_at <= now() ORDER BY not_after LIMIT ${limit})
          LIMIT ${limit}))
        RETURNING id, post_id
      ), touched AS (
        UPDATE posts SET version = version + 1, updated_at = now() WHERE id IN (
          SELECT id FROM posts WHERE id IN (SELECT post_id FROM doubted) ORDER BY id FOR UPDATE)
      )
      SELECT id FROM doubted`;
    const doubted = await client.delivery.findMany({ where: { id: { in: rows.map((row) => row.id) } } });
    return doubted.map(toDelivery);
  },
  doubtRefunds: () => client.$executeRaw`
    UPDATE refunds SET sent_at = now() WHERE sent_at IS NULL AND status IN ('pending', 'awaiting_approval')`,
  async findTimelines() {
    const [row] = await client.$queryRaw<{ recorded: string | null; current: string | null }[]>`
      SELECT (SELECT timeline FROM installation) AS recorded, database_timeline() AS current`;
    if (!row) throw new Error('the query of the timeline returned no row');
    return row;
  },
  async lockTimeline() {
    const [row] = await client.$queryRaw<{ locked: boolean }[]>`
      SELECT pg_try_advisory_xact_lock(hashtextextended('timeline', 0)) AS locked`;
    return row?.locked ?? false;
  },
  async doubtWaiting() {
    // One branch per index. What is being sent keeps its claim: with synchronous replication nothing is lost.
    const deliveries = await client.$executeRaw`
      UPDATE deliveries SET restored_at = now(), epoch = epoch + CASE WHEN status = 'sending' THEN 0 ELSE ${SKIPPED_EPOCHS}::int END
      WHERE id = ANY (ARRAY(
        SELECT id FROM deliveries WHERE status IN ('pending', 'retrying')
        UNION ALL SELECT id FROM deliveries WHERE status = 'blocked'
        UNION ALL SELECT id FROM deliveries WHERE status = 'awaiting_approval'
        UNION ALL SELECT id FROM deliveries WHERE status = 'sending'
        UNION ALL SELECT id FROM deliveries WHERE status = 'unknown'))`;
    const refunds = await client.$executeRaw`
      UPDATE refunds SET sent_at = now(), next_attempt_at = NULL,
        first_sent_at = CASE WHEN status <> 'awaiting_approval' THEN coalesce(first_sent_at, now()) END,
        epoch = epoch + CASE WHEN sent_at IS NOT NULL AND lease_until > now() THEN 0 ELSE ${SKIPPED_EPOCHS}::int END
      WHERE status IN ('pending', 'unknown', 'awaiting_approval')`;
    return { deliveries, refunds };
  },
});

/** More than the claims of the lost history: their workers may still run, and must not take their epochs for current. */
const SKIPPED_EPOCHS = 1000;
