import type { EventId, ProfileId, WebhookId, WorkspaceId } from '@switchboard/domain';
import type { Event, EventType, EventTypePattern } from '@switchboard/domain/events';
import type { SealedWebhookSecret, Webhooks } from '@switchboard/domain/ports';
import type {
  DisabledReason,
  DueWebhookDelivery,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryId,
} from '@switchboard/domain/webhooks';
import { jsonText, omitUndefined, readJson, writeBytes, type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type { WebhookDeliveryModel, WebhookModel } from './generated/models.js';
import { afterCursor, newestFirst, toPage } from './keyset.js';
import { writeNullableJson } from './write-nullable-json.js';

/**
 * An endpoint that has something to send: `w` is its row. The least and the greatest value are read from an index;
 * for EXISTS, PostgreSQL may read all events, or all pending deliveries, in search of a match.
 */
const hasWork = Prisma.sql`w.disabled_reason IS NULL
  AND (w.lease_until IS NULL OR w.lease_until <= now()) AND (w.throttled_until IS NULL OR w.throttled_until <= now())
  AND (w.replay_after IS NOT NULL
    OR (SELECT min(next_attempt_at) FROM webhook_deliveries d
      WHERE d.webhook_id = w.id AND d.status = 'pending') <= now()
    OR (SELECT max(seq) FROM events e WHERE e.workspace_id = w.workspace_id) > w.position)`;

/** The events after a position that a search for the oldest one inspects. */
const INSPECTED_MAX = 200;

const webhookColumns = Prisma.sql`id, workspace_id AS "workspaceId", url, url_set_by AS "urlSetBy", events,
  profile_ids AS "profileIds", description, hide_personal_data AS "hidePersonalData",
  disabled_reason AS "disabledReason", disabled_at AS "disabledAt", failing_since AS "failingSince",
  created_at AS "createdAt", version`;

const leaseEnd = (seconds: number) => Prisma.sql`now() + make_interval(secs => ${seconds})`;

export function prismaWebhooks(client: DatabaseClient): Webhooks {
  const find = async (workspaceId: WorkspaceId, id: WebhookId) => {
    const row = await client.webhook.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
    return row && toWebhook(row);
  };

  return {
    find,
    async list(workspaceId, page) {
      const rows = await client.webhook.findMany({
        where: { workspaceId, ...afterCursor(page) },
        ...newestFirst(page),
      });
      return toPage(rows, page, toWebhook);
    },
    async listStopped(workspaceId, page) {
      const rows = await client.webhook.findMany({
        where: { workspaceId, disabledReason: { in: ['gone', 'failing'] }, ...afterCursor(page) },
        ...newestFirst(page),
      });
      return toPage(rows, page, toWebhook);
    },
    count: (workspaceId) => client.webhook.count({ where: { workspaceId } }),
    async insert({ events, profileIds, ...rest }, { generation, sealed }, position) {
      await client.webhook.create({
        data: {
          ...rest,
          events: [...events],
          profileIds: writeNullableJson(profileIds),
          generation,
          sealedSecret: writeBytes(sealed),
          position: BigInt(position),
        },
      });
    },
    async update(
      workspaceId,
      id,
      { events, profileIds, disabledReason, ...changes },
      { version, position } = {},
    ) {
      const endsLane = changes.url !== undefined || (disabledReason ?? null) !== null;
      const { count } = await client.webhook.updateMany({
        where: { workspaceId, id, ...(version !== undefined && { version }) },
        data: {
          ...omitUndefined(changes),
          ...(events && { events: [...events] }),
          ...(profileIds !== undefined && { profileIds: writeNullableJson(profileIds) }),
          ...(position !== undefined && {
            position: BigInt(position),
            failingSince: null,
            throttledUntil: null,
          }),
          ...(endsLane && { fence: { increment: 1 }, leaseUntil: null }),
          version: { increment: 1 },
        },
      });
      if (count === 0) return null;
      if (disabledReason !== undefined)
        await client.$executeRaw`
          UPDATE webhooks SET disabled_reason = ${disabledReason},
            disabled_at = CASE WHEN ${disabledReason}::text IS NULL THEN NULL ELSE coalesce(disabled_at, now()) END
          WHERE workspace_id = ${workspaceId} AND id = ${id}`;
      return find(workspaceId, id);
    },
    async findSecrets(workspaceId, id) {
      const [row] = await client.$queryRaw<SecretsRow[]>`
        SELECT generation, sealed_secret AS sealed, CASE WHEN replaced_until > now() THEN replaced_secret END AS replaced
        FROM webhooks WHERE workspace_id = ${workspaceId} AND id = ${id}`;
      if (!row) return [];
      const { generation, sealed, replaced } = row;
      return [
        { generation, sealed },
        ...(replaced === null ? [] : [{ generation: generation - 1, sealed: replaced }]),
      ];
    },
    async replaceSecret(workspaceId, id, { generation, sealed }, overlapSeconds) {
      const count = await client.$executeRaw`
        UPDATE webhooks SET replaced_secret = sealed_secret, replaced_until = ${leaseEnd(overlapSeconds)},
          sealed_secret = ${writeBytes(sealed)}, generation = ${generation}, version = version + 1
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND generation = ${generation - 1}`;
      return count === 1 ? find(workspaceId, id) : null;
    },
    async delete(workspaceId, id, version) {
      const { count } = await client.webhook.deleteMany({
        where: { workspaceId, id, ...(version !== undefined && { version }) },
      });
      return count === 1;
    },

    async findDelivery(workspaceId, webhookId, id) {
      const row = await client.webhookDelivery.findFirst({ where: { workspaceId, webhookId, id } });
      return row && toDelivery(row);
    },
    async listDeliveries(workspaceId, webhookId, { statuses }, page) {
      const rows = await client.webhookDelivery.findMany({
        where: {
          workspaceId,
          webhookId,
          ...(statuses && { status: { in: [...statuses] } }),
          ...afterCursor(page),
        },
        ...newestFirst(page),
      });
      return toPage(rows, page, toDelivery);
    },
    async restartDelivery(workspaceId, id) {
      const [row] = await client.$queryRaw<{ webhookId: WebhookId }[]>`
        UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = now(), started_at = now(),
          settled_at = NULL
        WHERE workspace_id = ${workspaceId} AND id = ${id} RETURNING webhook_id AS "webhookId"`;
      return row ? this.findDelivery(workspaceId, row.webhookId, id) : null;
    },
    async startReplay(workspaceId, id, { after, through }) {
      const { count } = await client.webhook.updateMany({
        where: { workspaceId, id, replayAfter: null },
        data: { replayAfter: BigInt(after), replayThrough: BigInt(through) },
      });
      return count === 1;
    },
    async failPending(workspaceId, id) {
      await client.webhook.updateMany({
        where: { workspaceId, id },
        data: { replayAfter: null, replayThrough: null },
      });
      await client.$executeRaw`
        UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, settled_at = now(),
          last_attempt = coalesce(last_attempt, jsonb_build_object('at', now(), 'status', NULL, 'latencyMs', 0,
            'responseHead', NULL, 'error', 'disabled'))
        WHERE workspace_id = ${workspaceId} AND webhook_id = ${id} AND status = 'pending'`;
    },

    async claimLanes(room, leaseSeconds) {
      const rows = await client.$queryRaw<(WebhookColumns & { readonly fence: number })[]>`
        WITH ready AS (
          SELECT w.id, w.failing_since IS NOT NULL AS failing, w.lease_until, row_number() OVER (
            PARTITION BY w.failing_since IS NOT NULL ORDER BY w.lease_until NULLS FIRST) AS nth
          FROM webhooks w WHERE ${hasWork})
        UPDATE webhooks SET fence = fence + 1, lease_until = ${leaseEnd(leaseSeconds)}
        WHERE id IN (SELECT w.id FROM webhooks w JOIN ready r ON r.id = w.id
          WHERE (NOT r.failing OR r.nth <= ${room.failing}) AND (w.lease_until IS NULL OR w.lease_until <= now())
          ORDER BY r.failing, r.lease_until NULLS FIRST LIMIT ${room.lanes} FOR UPDATE OF w SKIP LOCKED)
        RETURNING ${webhookColumns}, fence`;
      return rows.map((row) => ({ webhook: toWebhook(row), fence: row.fence }));
    },
    async extendLane({ webhook: { workspaceId, id }, fence }, leaseSeconds) {
      const count = await client.$executeRaw`
        UPDATE webhooks SET lease_until = ${leaseEnd(leaseSeconds)}
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${fence}`;
      return count === 1;
    },
    async releaseLane({ webhook: { workspaceId, id }, fence }) {
      await client.$executeRaw`
        UPDATE webhooks SET lease_until = now() WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${fence}`;
    },
    async lockLane({ webhook: { workspaceId, id }, fence }) {
      const [row] = await client.$queryRaw<LaneRow[]>`
        SELECT ${webhookColumns}, position, replay_after AS "replayAfter", replay_through AS "replayThrough",
          (SELECT count(*)::int FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending') AS pending
        FROM webhooks w WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${fence} FOR UPDATE OF w`;
      if (!row) return null;
      const { replayAfter, replayThrough, pending } = row;
      return {
        webhook: toWebhook(row),
        position: String(row.position),
        replay:
          replayAfter === null || replayThrough === null
            ? null
            : { after: String(replayAfter), through: String(replayThrough) },
        pending,
      };
    },
    async addDeliveries(lane, events, progress) {
      const { workspaceId, id } = lane.webhook;
      const isReplay = progress.kind === 'replay';
      const again = isReplay
        ? Prisma.sql`UPDATE SET status = 'pending', attempts = 0, next_attempt_at = now(), started_at = now(), settled_at = NULL`
        : Prisma.sql`NOTHING`;
      const advance = isReplay
        ? Prisma.sql`replay_after = ${progress.remaining && BigInt(progress.remaining.after)}::bigint,
            replay_through = ${progress.remaining && BigInt(progress.remaining.through)}::bigint`
        : Prisma.sql`position = ${BigInt(progress.position)}::bigint`;
      await client.$executeRaw`
        WITH inserted AS (
          INSERT INTO webhook_deliveries (id, workspace_id, webhook_id, event_id, event_type, status, next_attempt_at)
          SELECT added.id, ${workspaceId}, ${id}, added.event_id, added.event_type, 'pending', now()
          FROM unnest(${events.map(({ deliveryId }) => deliveryId)}::text[], ${events.map((event) => event.id)}::text[],
            ${events.map(({ type }) => type)}::text[]) AS added (id, event_id, event_type)
          ON CONFLICT (webhook_id, event_id) DO ${again})
        UPDATE webhooks SET ${advance}
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${lane.fence}`;
    },
    async listDueDeliveries({ webhook: { id, workspaceId } }, limit) {
      const rows = await client.$queryRaw<DueRow[]>`
        SELECT d.id, d.event_id AS "eventId", d.attempts, e.id AS "foundId", e.type, e.profile_id AS "profileId", e.data,
          e.created_at AS "createdAt", e.seq, e.traceparent
        FROM (SELECT id, event_id, attempts, next_attempt_at FROM webhook_deliveries
          WHERE webhook_id = ${id} AND status = 'pending' AND next_attempt_at <= now()
          ORDER BY next_attempt_at, id LIMIT ${limit}) AS d
        LEFT JOIN events e ON e.id = d.event_id ORDER BY d.next_attempt_at, d.id`;
      return rows.map((row) => toDueDelivery(workspaceId, row));
    },
    async settleDeliveries(lane, attempts, throttleSeconds) {
      const { workspaceId, id } = lane.webhook;
      const hasSuccess = attempts.some(({ outcome }) => outcome.kind === 'delivered');
      const hasFailure = attempts.some(
        ({ attempt: { error } }) => error !== null && error !== 'event_expired',
      );
      const [row] = await client.$queryRaw<{ failingSince: Date | null }[]>`
        UPDATE webhooks SET
          failing_since = CASE WHEN ${hasSuccess} THEN NULL WHEN ${hasFailure} THEN coalesce(failing_since, now())
            ELSE failing_since END,
          throttled_until = CASE WHEN ${throttleSeconds}::float > 0 THEN ${leaseEnd(throttleSeconds)}
            ELSE throttled_until END
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${lane.fence}
        RETURNING failing_since AS "failingSince"`;
      if (!row) return null;
      const settled = attempts.map(({ id: deliveryId, attempt, outcome }) => ({
        id: deliveryId,
        status: outcome.kind === 'retry' ? 'pending' : outcome.kind,
        seconds: outcome.kind === 'retry' ? outcome.inSeconds : null,
        attempt,
      }));
      await client.$executeRaw`
        UPDATE webhook_deliveries d SET status = s.status, attempts = d.attempts + 1, last_attempt = s.attempt,
          next_attempt_at = now() + make_interval(secs => s.seconds),
          settled_at = CASE WHEN s.status = 'pending' THEN NULL ELSE now() END
        FROM jsonb_to_recordset(${jsonText(settled)}::jsonb) AS s (id text, status text, seconds float, attempt jsonb)
        WHERE d.workspace_id = ${workspaceId} AND d.id = s.id`;
      return row;
    },
    async findOldestUndelivered() {
      const [row] = await client.$queryRaw<{ oldest: Date | null }[]>`
        SELECT least(
          (SELECT min(started_at) FROM webhook_deliveries WHERE status = 'pending'),
          (SELECT min(unread.created_at) FROM webhooks w CROSS JOIN LATERAL (
            SELECT created_at FROM (
              SELECT e.type, e.profile_id, e.created_at, e.seq FROM events e
              WHERE e.workspace_id = w.workspace_id AND e.seq > w.position ORDER BY e.seq LIMIT ${INSPECTED_MAX}
            ) AS inspected
            WHERE ARRAY[type, split_part(type, '.', 1) || '.*'] && w.events
              AND (w.profile_ids IS NULL OR w.profile_ids ? profile_id)
            ORDER BY seq LIMIT 1
          ) AS unread WHERE w.disabled_reason IS NULL)) AS oldest`;
      return row?.oldest ?? null;
    },
  };
}

interface SecretsRow extends SealedWebhookSecret {
  readonly replaced: Uint8Array | null;
}

type WebhookColumns = Pick<WebhookModel, keyof Webhook>;
type LaneRow = WebhookColumns &
  Pick<WebhookModel, 'position' | 'replayAfter' | 'replayThrough'> & { readonly pending: number };

interface DueRow {
  readonly id: WebhookDeliveryId;
  readonly eventId: EventId;
  readonly attempts: number;
  readonly foundId: EventId | null;
  readonly type: EventType;
  readonly profileId: ProfileId | null;
  readonly data: Event['data'];
  readonly createdAt: Date;
  readonly seq: bigint;
  readonly traceparent: string | null;
}

const toDueDelivery = (
  workspaceId: WorkspaceId,
  { id, eventId, attempts, foundId, type, profileId, data, createdAt, seq, traceparent }: DueRow,
): DueWebhookDelivery => ({
  id,
  eventId,
  attempts,
  traceparent,
  event: foundId && { id: foundId, workspaceId, type, profileId, data, createdAt, sequence: Number(seq) },
});

const toWebhook = (row: WebhookColumns): Webhook => ({
  id: row.id as WebhookId,
  workspaceId: row.workspaceId as WorkspaceId,
  url: row.url,
  urlSetBy: row.urlSetBy,
  events: row.events as EventTypePattern[],
  profileIds: readJson<readonly ProfileId[] | null>(row.profileIds),
  description: row.description,
  hidePersonalData: row.hidePersonalData,
  disabledReason: row.disabledReason as DisabledReason | null,
  disabledAt: row.disabledAt,
  failingSince: row.failingSince,
  createdAt: row.createdAt,
  version: row.version,
});

const toDelivery = (row: WebhookDeliveryModel): WebhookDelivery => ({
  ...readRow<WebhookDelivery>(row),
  lastAttempt: toAttempt(readJson(row.lastAttempt)),
});

const toAttempt = (stored: (Omit<WebhookAttempt, 'at'> & { readonly at: string }) | null) =>
  stored && { ...stored, at: new Date(stored.at) };
