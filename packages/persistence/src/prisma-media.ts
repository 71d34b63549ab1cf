import type { MediaId, WorkspaceId } from '@switchboard/domain';
import {
  MEDIA_KEPT_DAYS,
  UPLOAD_SECONDS,
  uploadExpired,
  type Media,
  type StoredFile,
} from '@switchboard/domain/media';
import type { MediaLibrary, MediaToFetch, NewMedia } from '@switchboard/domain/ports';
import { type DatabaseClient, readJson } from './columns.js';
import { Prisma } from './generated/client.js';
import { toPage } from './keyset.js';
import { ofWorkspace } from './post-sql.js';
import { WriteConflictError } from './write-conflict-error.js';
import type { MediaModel } from './generated/models.js';
import { writeNullableJson } from './write-nullable-json.js';

const isToFetch = Prisma.sql`(status = 'processing' AND source = 'url')`;

export function prismaMedia(client: DatabaseClient): MediaLibrary {
  const selectMedia = async (which: Prisma.Sql) =>
    client.$queryRaw<MediaRow[]>`SELECT ${mediaFields} FROM media m WHERE ${which}`;
  /** The row, while this attempt is the latest one. */
  const whereAttempt = (workspaceId: WorkspaceId, id: MediaId, attempts: number) => ({
    where: { workspaceId, id, attempts, status: 'processing' },
  });

  return {
    async find(workspaceId, id) {
      const [row] = await selectMedia(Prisma.sql`m.workspace_id = ${workspaceId} AND m.id = ${id}`);
      return row ? toMedia(row) : null;
    },
    async findMany(workspaceId, ids) {
      const rows = await selectMedia(
        Prisma.sql`m.workspace_id = ${workspaceId} AND m.id = ANY (${[...ids]})`,
      );
      return rows.map(toMedia);
    },
    async list(workspaceId, { lineage }, page) {
      const own = lineage === null ? Prisma.empty : Prisma.sql`AND m.lineage = ${lineage}`;
      const rows = await selectMedia(
        Prisma.sql`${ofWorkspace('m', workspaceId, page.after)} ${own}
          ORDER BY m.workspace_id DESC, m.id DESC LIMIT ${page.limit + 1}`,
      );
      return toPage(rows, page, toMedia);
    },
    async listToFetch({ limit, perWorkspace, inProgress }) {
      const busy = [...inProgress];
      return client.$queryRaw<MediaToFetch[]>`
        SELECT id, workspace_id AS "workspaceId", due_at AS "dueAt"
        FROM (
          SELECT id, workspace_id, due_at, coalesce(busy.count, 0)
            + row_number() OVER (PARTITION BY workspace_id ORDER BY due_at, id) AS turn
          FROM (
            SELECT id, workspace_id, coalesce(next_attempt_at, created_at) AS due_at FROM media
            WHERE ${isToFetch} AND (next_attempt_at IS NULL OR next_attempt_at <= now())
              AND (lease_until IS NULL OR lease_until <= now())
          ) AS due
          LEFT JOIN unnest(${busy.map(([id]) => id)}::text[], ${busy.map(([, count]) => count)}::int[])
            AS busy (busy_id, count) ON busy_id = workspace_id
        ) AS queued
        WHERE turn <= ${perWorkspace} ORDER BY turn, due_at, id LIMIT ${limit}`;
    },
    async countToFetch() {
      const [row] = await client.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM media WHERE ${isToFetch}`;
      return row?.count ?? 0;
    },
    async findFiles(names) {
      const rows = await client.media.findMany({
        where: { fileName: { in: [...names] } },
        select: { fileName: true },
      });
      return new Set(rows.flatMap(({ fileName }) => fileName ?? []));
    },
    async insert(item) {
      await client.media.create({ data: toMediaColumns(item) });
    },
    async insertToFetch(item, max) {
      // Lock and count are separate statements: the count sees everything that was committed before it
      // started.
      const turn = `media to fetch ${item.workspaceId}`;
      await client.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turn}, 0))::text`;
      const [row] = await client.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM media WHERE workspace_id = ${item.workspaceId} AND ${isToFetch}`;
      if ((row?.count ?? 0) >= max) return false;
      await client.media.create({ data: toMediaColumns(item) });
      return true;
    },
    async claim(workspaceId, id, leaseSeconds) {
      const [row] = await client.$queryRaw<MediaRow[]>`
        UPDATE media m SET attempts = attempts + 1, lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'processing'
          AND (lease_until IS NULL OR lease_until <= now()) AND (next_attempt_at IS NULL OR next_attempt_at <= now())
        RETURNING ${mediaFields}`;
      return row ? toMedia(row) : null;
    },
    async extendLease(workspaceId, id, attempt, leaseSeconds) {
      const count = await client.$executeRaw`
        UPDATE media SET lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND attempts = ${attempt} AND status = 'processing'
          AND lease_until IS NOT NULL`;
      return count === 1;
    },
    async postpone(workspaceId, id, attempt, inSeconds) {
      await client.$executeRaw`
        UPDATE media SET lease_until = NULL, next_attempt_at = now() + make_interval(secs => ${inSeconds})
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND attempts = ${attempt} AND status = 'processing'`;
    },
    async settle(workspaceId, id, attempt, outcome) {
      const { count } = await client.media.updateMany({
        ...whereAttempt(workspaceId, id, attempt),
        data: {
          leaseUntil: null,
          ...('file' in outcome
            ? { status: 'ready', ...toFileColumns(outcome.file) }
            : { status: 'failed', error: writeNullableJson(outcome.error) }),
        },
      });
      return count === 1;
    },
    async setUses(workspaceId, postId, mediaIds) {
      await client.postMedia.deleteMany({ where: { workspaceId, postId } });
      const data = [...new Set(mediaIds)].map((mediaId) => ({ workspaceId, postId, mediaId }));
      if (data.length === 0) return;
      await client.postMedia.createMany({ data }).catch((error: unknown) => {
        const isMediaDeleted =
          error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003';
        throw isMediaDeleted ? new WriteConflictError('the media was deleted concurrently') : error;
      });
    },
    async delete(workspaceId, id) {
      // Locks first and checks afterwards: a post that starts to use the media has committed by then, or
      // waits for this transaction.
      const [locked] = await client.$queryRaw<{ file: string | null }[]>`
        SELECT file_name AS file FROM media WHERE workspace_id = ${workspaceId} AND id = ${id} FOR UPDATE`;
      if (!locked) return { kind: 'missing' };
      const deleted = await client.$executeRaw`
        DELETE FROM media m WHERE workspace_id = ${workspaceId} AND id = ${id} AND NOT ${inUse}`;
      return deleted === 1 ? { kind: 'removed', file: locked.file } : { kind: 'in_use' };
    },
    failExpiredUploads: () =>
      client.$queryRaw`
        UPDATE media SET status = 'failed', error = ${JSON.stringify(uploadExpired)}::jsonb
        WHERE status = 'processing' AND source = 'put' AND (lease_until IS NULL OR lease_until <= now())
          AND created_at <= now() - make_interval(secs => ${UPLOAD_SECONDS})
        RETURNING id, workspace_id AS "workspaceId"`,
    async deleteExpired(limit) {
      const unused = Prisma.sql`created_at <= now() - make_interval(days => ${MEDIA_KEPT_DAYS}) AND NOT ${inUse}
        AND coalesce(${lastUsedAt}, '-infinity') <= now() - make_interval(days => ${MEDIA_KEPT_DAYS})`;
      const held = await client.$queryRaw<{ id: string }[]>`
        SELECT id FROM media m WHERE ${unused} LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
      const ids = held.map(({ id }) => id);
      const rows = await client.$queryRaw<{ file: string | null }[]>`
        DELETE FROM media m WHERE id = ANY (${ids}) AND ${unused} RETURNING file_name AS file`;
      return rows.flatMap(({ file }) => file ?? []);
    },
  };
}

type MediaRow = Omit<MediaModel, 'leaseUntil' | 'nextAttemptAt'> & {
  readonly inUse: boolean;
  readonly lastUsedAt: Date | null;
};

const settledStatuses = ['published', 'failed', 'missed', 'cancelled', 'deleted'];

/** Whether an unsettled post, or a draft, uses the media `m`. */
const inUse = Prisma.sql`EXISTS (
  SELECT FROM post_media u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
  WHERE u.workspace_id = m.workspace_id AND u.media_id = m.id AND (p.draft OR EXISTS (
    SELECT FROM deliveries d
    WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id AND d.status <> ALL (${settledStatuses}))))`;

/** The latest change of a post that uses the media `m`. */
const lastUsedAt = Prisma.sql`(
  SELECT max(p.updated_at) FROM post_media u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
  WHERE u.workspace_id = m.workspace_id AND u.media_id = m.id)`;

const mediaFields = Prisma.sql`m.id, m.workspace_id AS "workspaceId", m.status, m.source, m.source_url AS "sourceUrl",
  m.lineage, m.declared_type AS "declaredType", m.declared_bytes AS "declaredBytes", m.file_name AS "fileName", m.type,
  m.bytes, m.sha256, m.width, m.height, m.duration_seconds AS "durationSeconds", m.animated, m.alt_text AS "altText",
  m.error, m.attempts, m.created_at AS "createdAt", ${inUse} AS "inUse", ${lastUsedAt} AS "lastUsedAt"`;

const toMedia = (row: MediaRow): Media => ({
  id: row.id as MediaId,
  workspaceId: row.workspaceId as WorkspaceId,
  status: row.status as Media['status'],
  source: row.source as Media['source'],
  sourceUrl: row.sourceUrl,
  lineage: row.lineage,
  declared: row.declaredType === null ? null : { type: row.declaredType, bytes: row.declaredBytes ?? 0 },
  file: toStoredFile(row),
  altText: row.altText,
  error: row.error === null ? null : readJson<NonNullable<Media['error']>>(row.error),
  attempts: row.attempts,
  createdAt: row.createdAt,
  inUse: row.inUse,
  lastUsedAt: row.lastUsedAt,
});

function toStoredFile(row: MediaRow): StoredFile | null {
  const { fileName: name, type, bytes, sha256, width, height, durationSeconds, animated } = row;
  if (name === null || type === null || bytes === null || sha256 === null) return null;
  if (animated === null) return null;
  return { name, type, bytes, sha256, width, height, durationSeconds, animated };
}

const toMediaColumns = ({ declared, file, error, ...rest }: NewMedia) => ({
  ...rest,
  declaredType: declared?.type ?? null,
  declaredBytes: declared?.bytes ?? null,
  ...(file && toFileColumns(file)),
  error: writeNullableJson(error),
  attempts: 0,
});

const toFileColumns = ({ name, ...rest }: StoredFile) => ({ fileName: name, ...rest });
