import type { MediaId, WorkspaceId } from '@switchboard/domain';
import type { Media, StoredFile } from '@switchboard/domain/media';
import type { NewMedia } from '@switchboard/domain/ports';
import { readJson, writeNullableJson } from './columns.js';
import { Prisma } from './generated/client.js';
import type { MediaModel } from './generated/models.js';

export type MediaRow = Omit<MediaModel, 'leaseUntil' | 'nextAttemptAt'> & {
  readonly inUse: boolean;
  readonly lastUsedAt: Date | null;
};

const settledStatuses = ['published', 'failed', 'missed', 'cancelled', 'deleted'];

/** Whether an unsettled post, or a draft, uses the media `m`. */
export const inUse = Prisma.sql`EXISTS (
  SELECT FROM post_media u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
  WHERE u.workspace_id = m.workspace_id AND u.media_id = m.id AND (p.draft OR EXISTS (
    SELECT FROM deliveries d
    WHERE d.workspace_id = p.workspace_id AND d.post_id = p.id AND d.status <> ALL (${settledStatuses}))))`;

/** The latest change of a post that uses the media `m`. */
export const lastUsedAt = Prisma.sql`(
  SELECT max(p.updated_at) FROM post_media u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
  WHERE u.workspace_id = m.workspace_id AND u.media_id = m.id)`;

export const mediaFields = Prisma.sql`m.id, m.workspace_id AS "workspaceId", m.status, m.source, m.source_url AS "sourceUrl",
  m.lineage, m.declared_type AS "declaredType", m.declared_bytes AS "declaredBytes", m.file_name AS "fileName", m.type,
  m.bytes, m.sha256, m.width, m.height, m.duration_seconds AS "durationSeconds", m.animated, m.alt_text AS "altText",
  m.error, m.attempts, m.created_at AS "createdAt", ${inUse} AS "inUse", ${lastUsedAt} AS "lastUsedAt"`;

export const toMedia = (row: MediaRow): Media => ({
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

export const toMediaColumns = ({ declared, file, error, ...rest }: NewMedia) => ({
  ...rest,
  declaredType: declared?.type ?? null,
  declaredBytes: declared?.bytes ?? null,
  ...(file && toFileColumns(file)),
  error: writeNullableJson(error),
  attempts: 0,
});

export const toFileColumns = ({ name, ...rest }: StoredFile) => ({ fileName: name, ...rest });
