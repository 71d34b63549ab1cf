import type { ApprovalId, ProfileId, WorkspaceId } from '@switchboard/domain';
import type { Approval } from '@switchboard/domain/approvals';
import type { Approvals, PendingApprovals } from '@switchboard/domain/ports';
import { readJson, writeJson, type DatabaseClient, readRow } from './columns.js';
import type { Prisma } from './generated/client.js';
import type { ApprovalModel } from './generated/models.js';
import { afterCursor, newestFirst, toPage } from './keyset.js';
import { writeNullableJson } from './write-nullable-json.js';

/** The profile is that of the post, or the present one of the refund's connection. */
/** By statements of their own: joined, a list is not read by its index. */
const withProfile = {
  relationLoadStrategy: 'query',
  include: {
    post: { select: { profileId: true } },
    refund: { select: { connection: { select: { profileId: true } } } },
  },
} as const;

interface ApprovalRow extends ApprovalModel {
  readonly post: { readonly profileId: string } | null;
  readonly refund: { readonly connection: { readonly profileId: string | null } } | null;
}

export function prismaApprovals(client: DatabaseClient): Approvals {
  const find: Approvals['find'] = async (workspaceId, id) => {
    const where = { workspaceId_id: { workspaceId, id } };
    const row = await client.approval.findUnique({ where, ...withProfile });
    return row && toApproval(row);
  };
  return {
    find,
    async listByIds(workspaceId, ids) {
      if (ids.length === 0) return [];
      const rows = await client.approval.findMany({
        where: { workspaceId, id: { in: [...ids] } },
        ...withProfile,
      });
      return rows.map(toApproval);
    },
    async list(workspaceId, { reach, kinds, statuses, postId, refundId }, page) {
      const profileId = reach && { in: [...reach] };
      const rows = await client.approval.findMany({
        where: {
          AND: [
            { workspaceId, ...afterCursor(page) },
            ...(kinds ? [{ kind: { in: [...kinds] } }] : []),
            ...(statuses ? [{ status: { in: [...statuses] } }] : []),
            ...(postId ? [{ postId }] : []),
            ...(refundId ? [{ refundId }] : []),
            ...(profileId
              ? [
                  {
                    OR: [
                      { post: { is: { profileId } } },
                      { refund: { is: { connection: { is: { profileId } } } } },
                    ],
                  },
                ]
              : []),
          ],
        },
        ...withProfile,
        ...newestFirst(page),
      });
      return toPage(rows, page, toApproval);
    },
    async listOf(subjects) {
      if (subjects.length === 0) return [];
      const ids = await client.$queryRaw<{ id: string }[]>`
        SELECT approval.id FROM unnest(${[...subjects]}::text[]) AS subject (id)
        JOIN posts post ON post.id = subject.id
        JOIN approvals approval ON approval.workspace_id = post.workspace_id AND approval.post_id = post.id
        UNION ALL
        SELECT approval.id FROM unnest(${[...subjects]}::text[]) AS subject (id)
        JOIN refunds refund ON refund.id = subject.id
        JOIN approvals approval ON approval.workspace_id = refund.workspace_id AND approval.refund_id = refund.id`;
      const rows = await client.approval.findMany({
        where: { id: { in: ids.map(({ id }) => id) } },
        orderBy: { id: 'desc' },
        ...withProfile,
      });
      return rows.map(toApproval);
    },
    async listPendingOf(workspaceId, connectionId) {
      const rows = await client.approval.findMany({
        where: {
          workspaceId,
          status: 'pending',
          post: { is: { deliveries: { some: { workspaceId, connectionId } } } },
        },
        ...withProfile,
      });
      return rows.map(toApproval);
    },
    async listExpired(limit) {
      return client.$queryRaw<{ id: ApprovalId; workspaceId: WorkspaceId }[]>`
        SELECT id, workspace_id AS "workspaceId" FROM approvals
        WHERE status = 'pending' AND expires_at <= now() ORDER BY expires_at LIMIT ${limit}`;
    },
    countPending: () =>
      client.$queryRaw<PendingApprovals[]>`
        SELECT kind, count(*)::int AS count FROM approvals WHERE status = 'pending' GROUP BY kind`,
    async insert({ profileId: _, digests, refundPreview, requesters, ...rest }) {
      await client.approval.create({
        data: {
          ...rest,
          requesters: [...requesters],
          digests: writeJson(digests),
          refundPreview: writeNullableJson(refundPreview),
        },
      });
    },
    async lock(workspaceId, id) {
      await client.$queryRaw`SELECT id FROM approvals WHERE workspace_id = ${workspaceId} AND id = ${id} FOR UPDATE`;
      return find(workspaceId, id);
    },
    async settle(workspaceId, id, outcome) {
      const { count } = await client.approval.updateMany({
        where: { workspaceId, id, status: 'pending' },
        data: outcome,
      });
      return count === 1;
    },
  };
}

const toApproval = ({ post, refund, ...row }: ApprovalRow): Approval => ({
  ...readRow<Omit<Approval, 'profileId'>>(row),
  profileId: (post?.profileId ?? refund?.connection.profileId ?? null) as ProfileId | null,
});

/** The state that a trigger writes into the row of a post or refund. */
export function readApprovalState(value: Prisma.JsonValue | null) {
  type Stored = { readonly [Field in 'id' | 'status' | 'requestedAt' | 'expiresAt']: string } & {
    readonly [Field in 'decidedBy' | 'decidedAt' | 'note']: string | null;
  };
  const stored = readJson<Stored | null>(value);
  return (
    stored && {
      ...stored,
      id: stored.id as ApprovalId,
      status: stored.status as Approval['status'],
      requestedAt: new Date(stored.requestedAt),
      expiresAt: new Date(stored.expiresAt),
      decidedAt: stored.decidedAt === null ? null : new Date(stored.decidedAt),
    }
  );
}
