import { isDeepStrictEqual } from 'node:util';
import type { RefundId, WorkspaceId } from '@switchboard/domain';
import type { OrderAccount, RefundFilter, Refunds, RemoteOrderKey } from '@switchboard/domain/ports';
import {
  inFlightStatuses,
  ledgerKeyOf,
  reservingStatuses,
  type Refund,
  type RefundStatus,
} from '@switchboard/domain/refunds';
import { omitUndefined, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import type { RefundModel } from './generated/models.js';
import { afterCursor, toPage, newestFirst } from './keyset.js';
import { toLedgerEntry, type LedgerRow } from './prisma-ledger.js';
import { held, isNotHeld, prismaPauses } from './prisma-pauses.js';
import { toQuote, toQuoteColumns, toRefund, toRefundColumns } from './refund-rows.js';
import { writeNullableJson } from './write-nullable-json.js';

export function prismaRefunds(client: DatabaseClient): Refunds {
  /** With what holds them, where nothing of them was sent. */
  async function toRefunds(rows: readonly RefundModel[]): Promise<Refund[]> {
    const refunds = rows.map(toRefund);
    const unsent = refunds.filter(({ status, sentAt }) => unsentStatuses.includes(status) && sentAt === null);
    const holds = await prismaPauses(client).listHolds(unsent.map(({ connectionId }) => connectionId));
    if (holds.size === 0) return refunds;
    return refunds.map((refund) =>
      unsent.includes(refund) ? { ...refund, heldBy: holds.get(refund.connectionId) ?? null } : refund,
    );
  }

  return {
    async find(workspaceId, id) {
      const row = await client.refund.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && ((await toRefunds([row]))[0] ?? null);
    },
    async list(workspaceId, filter, page) {
      const rows = await client.refund.findMany({
        where: { AND: [toWhere(workspaceId, filter), afterCursor(page)] },
        ...newestFirst(page),
      });
      const { items, ...rest } = toPage(rows, page, (row) => row);
      return { items: await toRefunds(items), ...rest };
    },
    async findByIdempotencyKey(workspaceId, keyLineage, idempotencyKey) {
      const row = await client.refund.findFirst({ where: { workspaceId, keyLineage, idempotencyKey } });
      return row && { refund: toRefund(row), fingerprint: row.fingerprint ?? '' };
    },
    async findRecentDuplicate(order, amountMinor, since) {
      const row = await client.refund.findFirst({
        where: { ...order, amountMinor, status: { not: 'failed' }, createdAt: { gte: since } },
        orderBy: { id: 'desc' },
        select: { id: true },
      });
      return (row?.id ?? null) as RefundId | null;
    },
    async sumCharges(workspaceId, lineages, since) {
      const charged = Prisma.sql`charge.workspace_id = ${workspaceId} AND charge.lineage = ANY (${[...lineages]}::text[])`;
      const rows = await client.$queryRaw<{ lineage: string; currency: string; amount: bigint }[]>`
        SELECT lineage, currency, sum(amount_minor)::bigint AS amount
        FROM (
          SELECT charge.lineage, refund.currency, refund.amount_minor FROM ceiling_charges AS charge
          JOIN refunds AS refund ON refund.workspace_id = charge.workspace_id AND refund.id = charge.refund_id
          WHERE ${charged} AND charge.created_at >= ${since}
            AND (charge.retained OR refund.status = ANY (${[...reservingStatuses]}::text[]))
          UNION ALL
          SELECT charge.lineage, refund.currency, refund.amount_minor FROM refunds AS refund
          JOIN ceiling_charges AS charge ON refund.workspace_id = charge.workspace_id AND refund.id = charge.refund_id
          WHERE refund.workspace_id = ${workspaceId} AND ${isUnsent} AND ${charged} AND charge.created_at < ${since}
        ) AS counted
        GROUP BY lineage, currency`;
      return rows.map(({ lineage, currency, amount }) => ({
        lineage,
        currency,
        amountMinor: Number(amount),
      }));
    },
    async sumUnapproved(order, lineages) {
      const rows = await client.$queryRaw<{ lineage: string; amount: bigint }[]>`
        SELECT charge.lineage, sum(refund.amount_minor)::bigint AS amount FROM refunds AS refund
        JOIN ceiling_charges AS charge ON charge.workspace_id = refund.workspace_id AND charge.refund_id = refund.id
        WHERE refund.workspace_id = ${order.workspaceId} AND refund.platform = ${order.platform}
          AND refund.account_server = ${order.accountServer} AND refund.remote_account_id = ${order.remoteAccountId}
          AND refund.order_external_id = ${order.orderExternalId} AND refund.approval IS NULL
          AND refund.status = ANY (${[...reservingStatuses]}::text[]) AND charge.lineage = ANY (${[...lineages]}::text[])
        GROUP BY charge.lineage`;
      return new Map(rows.map(({ lineage, amount }) => [lineage, Number(amount)]));
    },
    async listChargedLineages(workspaceId, refundId) {
      const rows = await client.ceilingCharge.findMany({
        where: { workspaceId, refundId },
        orderBy: { position: 'asc' },
        select: { lineage: true },
      });
      return rows.map(({ lineage }) => lineage);
    },
    async listAccounts(workspaceId, orders) {
      const rows = await client.$queryRaw<(LedgerRow & RemoteOrderKey)[]>`
        SELECT ledger.workspace_id AS "workspaceId", ledger.platform, ledger.account_server AS "accountServer", ledger.remote_account_id AS "remoteAccountId",
          ledger.order_external_id AS "orderExternalId", currency, captured_minor AS captured, refunded_minor AS refunded, reserved_minor AS reserved, in_flight AS "inFlight"
        FROM unnest(${orders.map(({ platform }) => platform)}::text[], ${orders.map((order) => order.accountServer)}::text[],
          ${orders.map((order) => order.remoteAccountId)}::text[], ${orders.map((order) => order.orderExternalId)}::text[])
          AS wanted (platform, account_server, remote_account_id, order_external_id)
        JOIN refund_ledgers AS ledger USING (platform, account_server, remote_account_id, order_external_id)
        WHERE ledger.workspace_id = ${workspaceId}`;
      if (rows.length === 0) return [];
      const made = await client.refund.findMany({
        where: { OR: rows.map(ledgerKeyOf), status: { in: [...inFlightStatuses, 'succeeded'] } },
      });
      const refunds = made.map(toRefund);
      return rows.map((row) => {
        const order = ledgerKeyOf(row);
        const ofOrder = refunds.filter((one) => isDeepStrictEqual(ledgerKeyOf(one), order));
        return { order, entry: toLedgerEntry(row), ...recordedOf(ofOrder) };
      });
    },
    async listUnsettled(limit) {
      return client.$queryRaw<{ id: RefundId; workspaceId: WorkspaceId }[]>`
        WITH ${held}
        SELECT id, workspace_id AS "workspaceId" FROM refunds
        WHERE (sent_at IS NOT NULL OR ${isNotHeld}) AND status IN ('pending', 'unknown') AND (next_attempt_at IS NULL OR next_attempt_at <= now())
          AND (lease_until IS NULL OR lease_until <= now())
        ORDER BY next_attempt_at NULLS FIRST, id LIMIT ${limit}`;
    },
    async insert(item, idempotency) {
      await client.refund.create({
        data: {
          ...toRefundColumns(item),
          ...(idempotency && { idempotencyKey: idempotency.key, fingerprint: idempotency.fingerprint }),
        },
      });
    },
    async claim(id, leaseSeconds) {
      const [claimed] = await client.$queryRaw<{ id: string }[]>`
        UPDATE refunds SET epoch = epoch + 1, lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE id = ${id} AND status IN ('pending', 'unknown') AND (lease_until IS NULL OR lease_until <= now())
        RETURNING id`;
      return claimed ? toRefund(await client.refund.findUniqueOrThrow({ where: { id } })) : null;
    },
    async extendLease(id, epoch, leaseSeconds) {
      const count = await client.$executeRaw`
        UPDATE refunds SET lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE id = ${id} AND epoch = ${epoch} AND lease_until IS NOT NULL`;
      return count === 1;
    },
    async markSent(id, epoch) {
      const [row] = await client.$queryRaw<{ sent: boolean; held: boolean }[]>`
        WITH ${held}, claimed AS (
          SELECT id, ${isNotHeld} AS may_send FROM refunds WHERE id = ${id} AND epoch = ${epoch} AND lease_until > now()
        ), sent AS (
          UPDATE refunds SET sent_at = now(), first_sent_at = coalesce(first_sent_at, now())
          WHERE id = (SELECT id FROM claimed WHERE may_send) AND epoch = ${epoch} AND lease_until > now()
          RETURNING workspace_id, id, sent_at, first_sent_at, approval
        ), moved AS (
          UPDATE ceiling_charges AS charge SET created_at = sent.sent_at FROM sent
          WHERE charge.workspace_id = sent.workspace_id AND charge.refund_id = sent.id AND sent.first_sent_at = sent.sent_at
            AND sent.approval IS NOT NULL
        )
        SELECT EXISTS (SELECT FROM sent) AS sent, EXISTS (SELECT FROM claimed WHERE may_send IS NOT TRUE) AS held`;
      return row?.sent ? 'sent' : row?.held ? 'held' : 'lost';
    },
    async settle(id, epoch, { error, ...rest }) {
      const { count } = await client.refund.updateMany({
        where: { id, epoch },
        data: {
          ...omitUndefined(rest),
          ...(error !== undefined && { error: writeNullableJson(error) }),
          leaseUntil: null,
        },
      });
      return count === 1;
    },
    async releaseKeys(workspaceId, id) {
      await client.refund.updateMany({
        where: { workspaceId, id },
        data: { idempotencyKey: null, fingerprint: null },
      });
      await client.quote.updateMany({ where: { workspaceId, usedBy: id }, data: { usedBy: null } });
    },
    async findQuote(workspaceId, id) {
      const row = await client.quote.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && toQuote(row);
    },
    async insertQuote(item) {
      await client.quote.create({ data: toQuoteColumns(item) });
    },
    async useQuote(id, by) {
      const { count } = await client.quote.updateMany({
        where: { id, OR: [{ usedBy: null }, { usedBy: by }] },
        data: { usedBy: by },
      });
      return count === 1;
    },
  };
}

/** Of these, nothing was sent unless the time of it is stored. */
const unsentStatuses: readonly RefundStatus[] = ['pending', 'awaiting_approval'];

/** Nothing was sent yet: the condition of a partial index. */
const isUnsent = Prisma.sql`(refund.status = 'awaiting_approval' OR (refund.status = 'pending' AND refund.sent_at IS NULL))`;

function toWhere(workspaceId: WorkspaceId, filter: RefundFilter): Prisma.RefundWhereInput {
  const { reach, connectionId, profileId, orderExternalId, statuses, createdAfter, createdBefore } = filter;
  const profileFilter = omitUndefined({ in: reach ? [...reach] : undefined, equals: profileId });
  return {
    workspaceId,
    ...omitUndefined({ connectionId, orderExternalId }),
    ...(Object.keys(profileFilter).length > 0 && { connection: { is: { profileId: profileFilter } } }),
    ...(statuses && { status: { in: [...statuses] } }),
    createdAt: omitUndefined({ gte: createdAfter, lt: createdBefore }),
  };
}

/** What the store may not show: refunds in flight, and those that a person resolved. */
const recordedOf = (made: readonly Refund[]): Pick<OrderAccount, 'recorded' | 'made'> => ({
  made,
  recorded: made.filter(({ status, resolvedBy }) => status !== 'succeeded' || resolvedBy !== null),
});
