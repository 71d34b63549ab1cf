import type { AuditId, PageRequest, WorkspaceId } from '@switchboard/domain';
import type { AuditEntry, AuditFilter, AuditTrail, SealedEntry } from '@switchboard/domain/ports';
import { jsonText, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import { toPage } from './keyset.js';
import { pageLimit } from './query-runner.js';

const columns = Prisma.sql`id, workspace_id, actor, action, object, outcome, request_id, details, batch, count,
  created_at, seq, encode(prev_hash, 'hex') AS prev_hash, encode(row_hash, 'hex') AS row_hash`;

interface AuditTrailRow {
  readonly id: AuditId;
  readonly workspace_id: WorkspaceId;
  readonly actor: string;
  readonly action: string;
  readonly object: string | null;
  readonly outcome: string;
  readonly request_id: string;
  readonly details: AuditEntry['details'];
  readonly batch: string | null;
  readonly count: number;
  readonly created_at: Date;
  readonly seq: bigint | null;
  readonly prev_hash: string | null;
  readonly row_hash: string | null;
}

/** The count of a row increases for its minute, and for another one while processes add their counts. */
const IS_SEALABLE = Prisma.sql`seq IS NULL AND (batch IS NULL OR created_at < now() - interval '2 minutes')`;

export function prismaAuditTrail(client: DatabaseClient): AuditTrail {
  return {
    async list(workspaceId, filter, page) {
      const rows = await client.$queryRaw<AuditTrailRow[]>`
        SELECT ${columns} FROM audit_rows WHERE ${buildConditions(workspaceId, filter, page)}
        ORDER BY created_at DESC, id DESC LIMIT ${pageLimit(page.limit + 1)}`;
      return toPage(rows, page, toAuditEntry, ({ id, created_at: at }) => `${at.toISOString()} ${id}`);
    },
    async listUnsealed(after, limit) {
      // A loose index scan from one workspace to the next, independent of their row counts.
      const rows = await client.$queryRaw<{ workspace_id: WorkspaceId }[]>`
        WITH RECURSIVE waiting AS (
          (SELECT workspace_id FROM audit_rows WHERE ${IS_SEALABLE} AND workspace_id > ${after ?? ''}
           ORDER BY workspace_id LIMIT 1)
          UNION ALL
          SELECT (SELECT workspace_id FROM audit_rows WHERE ${IS_SEALABLE} AND workspace_id > waiting.workspace_id
                  ORDER BY workspace_id LIMIT 1)
          FROM waiting WHERE waiting.workspace_id IS NOT NULL)
        SELECT workspace_id FROM waiting WHERE workspace_id IS NOT NULL LIMIT ${limit}`;
      return rows.map(({ workspace_id: id }) => id);
    },
    async lockHead(workspaceId) {
      await client.$executeRaw`
        INSERT INTO audit_heads (workspace_id, seq, row_hash) VALUES (${workspaceId}, 0, '') ON CONFLICT DO NOTHING`;
      const [head] = await client.$queryRaw<{ seq: bigint; row_hash: string }[]>`
        SELECT seq, encode(row_hash, 'hex') AS row_hash FROM audit_heads WHERE workspace_id = ${workspaceId}
        FOR UPDATE SKIP LOCKED`;
      return head ? { seq: Number(head.seq), rowHash: head.row_hash } : null;
    },
    async listToSeal(workspaceId, limit) {
      const rows = await client.$queryRaw<AuditTrailRow[]>`
        SELECT ${columns} FROM audit_rows WHERE workspace_id = ${workspaceId} AND ${IS_SEALABLE}
        ORDER BY id LIMIT ${limit} FOR UPDATE`;
      return rows.map(toAuditEntry);
    },
    async seal(workspaceId, seals) {
      const count = await client.$executeRaw`
        UPDATE audit_rows r
        SET seq = s.seq, prev_hash = decode(s."prevHash", 'hex'), row_hash = decode(s."rowHash", 'hex')
        FROM jsonb_to_recordset(${jsonText(seals)}::jsonb) AS s (id text, seq bigint, "prevHash" text, "rowHash" text)
        WHERE r.id = s.id AND r.workspace_id = ${workspaceId} AND r.seq IS NULL`;
      if (count !== seals.length) throw new Error('an audit row to seal is missing or already sealed');
      const last = seals.at(-1);
      if (!last) return;
      await client.$executeRaw`
        UPDATE audit_heads SET seq = ${last.seq}, row_hash = decode(${last.rowHash}, 'hex')
        WHERE workspace_id = ${workspaceId}`;
    },
    async listChains() {
      const rows = await client.$queryRaw<{ workspace_id: WorkspaceId }[]>`
        WITH RECURSIVE chained AS (
          (SELECT workspace_id FROM audit_rows WHERE seq IS NOT NULL ORDER BY workspace_id LIMIT 1)
          UNION ALL
          SELECT (SELECT workspace_id FROM audit_rows WHERE seq IS NOT NULL AND workspace_id > chained.workspace_id
                  ORDER BY workspace_id LIMIT 1)
          FROM chained WHERE chained.workspace_id IS NOT NULL)
        SELECT workspace_id FROM chained WHERE workspace_id IS NOT NULL
        UNION SELECT workspace_id FROM audit_heads ORDER BY 1`;
      return rows.map(({ workspace_id: id }) => id);
    },
    async findHead(workspaceId) {
      const [head] = await client.$queryRaw<{ seq: bigint; row_hash: string; more: boolean }[]>`
        SELECT coalesce(h.seq, 0) AS seq, coalesce(encode(h.row_hash, 'hex'), '') AS row_hash,
          EXISTS (SELECT FROM audit_rows r WHERE r.workspace_id = ${workspaceId} AND r.seq > coalesce(h.seq, 0)) AS more
        FROM (SELECT) one LEFT JOIN audit_heads h ON h.workspace_id = ${workspaceId}`;
      return { seq: Number(head?.seq ?? 0), rowHash: head?.row_hash ?? '', hasMore: head?.more ?? false };
    },
    async listSealed(workspaceId, afterSeq, limit) {
      const rows = await client.$queryRaw<AuditTrailRow[]>`
        SELECT ${columns} FROM audit_rows WHERE workspace_id = ${workspaceId} AND seq > ${afterSeq}
        ORDER BY seq LIMIT ${limit}`;
      return rows.map(toSealedEntry);
    },
    async findSeal(rowHash) {
      const [row] = await client.$queryRaw<{ workspace_id: WorkspaceId; seq: bigint }[]>`
        SELECT workspace_id, seq FROM audit_rows WHERE seq IS NOT NULL AND row_hash = decode(${rowHash}, 'hex') LIMIT 1`;
      return row ? { workspaceId: row.workspace_id, seq: Number(row.seq) } : null;
    },
    countUnsealed: (workspaceId) => client.auditRow.count({ where: { workspaceId, seq: null } }),
  };
}

function buildConditions(
  workspaceId: WorkspaceId,
  filter: AuditFilter,
  { after: position }: PageRequest,
): Prisma.Sql {
  const { actor, action, object, after, before } = filter;
  const conditions = [Prisma.sql`workspace_id = ${workspaceId}`];
  if (actor !== undefined) conditions.push(Prisma.sql`actor = ${actor}`);
  if (action !== undefined) conditions.push(Prisma.sql`action = ${action}`);
  if (object !== undefined) conditions.push(Prisma.sql`object = ${object}`);
  if (after !== undefined) conditions.push(Prisma.sql`created_at >= ${after}`);
  if (before !== undefined) conditions.push(Prisma.sql`created_at < ${before}`);
  const [at, id] = position?.split(' ') ?? [];
  if (at !== undefined && id !== undefined)
    conditions.push(Prisma.sql`(created_at, id) < (${new Date(at)}, ${id})`);
  return Prisma.join(conditions, ' AND ');
}

const toAuditEntry = (row: AuditTrailRow): AuditEntry => ({
  id: row.id,
  workspaceId: row.workspace_id,
  at: row.created_at,
  actor: row.actor,
  action: row.action,
  object: row.object,
  outcome: row.outcome,
  requestId: row.request_id,
  details: row.details,
  batch: row.batch,
  count: row.count,
  sealed: row.seq !== null,
});

const toSealedEntry = (row: AuditTrailRow): SealedEntry => ({
  ...toAuditEntry(row),
  seal: { seq: Number(row.seq), prevHash: row.prev_hash ?? '', rowHash: row.row_hash ?? '' },
});
