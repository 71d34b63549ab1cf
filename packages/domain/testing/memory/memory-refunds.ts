import type {
  ChargeSum,
  Clock,
  Ledger,
  RefundFilter,
  Refunds,
  RemoteOrderKey,
} from '../../src/ports/index.js';
import { inFlightStatuses, reservingStatuses, type Refund } from '../../src/refunds/refund.js';
import { approvalStateOf } from './memory-approvals.js';
import { holdOf, isHeld } from './memory-holds.js';
import type { MemoryState, StoredRefund } from './memory-state.js';
import { omitUndefined, ofWorkspace, oldestFirst, findOwned, pageOf, assertUnique } from './rows.js';

const isUnsent = ({ status, sentAt }: Pick<Refund, 'status' | 'sentAt'>) =>
  status === 'awaiting_approval' || (status === 'pending' && sentAt === null);

const nameOf = ({ workspaceId, platform, accountServer, remoteAccountId, orderExternalId }: RemoteOrderKey) =>
  JSON.stringify([workspaceId, platform, accountServer, remoteAccountId, orderExternalId]);

export function memoryRefunds(state: MemoryState, clock: Clock): Refunds {
  const nowMs = () => clock.now().getTime();
  const bare = ({ leaseUntilMs: _, idempotency: __, ...refund }: StoredRefund): Refund => ({
    ...refund,
    approval: approvalStateOf(state, refund.id),
    heldBy: isUnsent(refund) ? holdOf(state, refund.connectionId) : null,
  });
  const isOpen = ({ status, leaseUntilMs }: StoredRefund) =>
    (status === 'pending' || status === 'unknown') && leaseUntilMs <= nowMs();
  const fits = (row: StoredRefund, filter: RefundFilter) => {
    const profileId = state.connections.get(row.connectionId)?.profileId;
    return (
      (filter.reach === null || (profileId !== undefined && filter.reach.includes(profileId))) &&
      (filter.profileId ?? profileId) === profileId &&
      (filter.connectionId ?? row.connectionId) === row.connectionId &&
      (filter.orderExternalId ?? row.orderExternalId) === row.orderExternalId &&
      (filter.statuses?.includes(row.status) ?? true) &&
      (filter.createdAfter === undefined || row.createdAt >= filter.createdAfter) &&
      (filter.createdBefore === undefined || row.createdAt < filter.createdBefore)
    );
  };

  return {
    find: async (workspaceId, id) => {
      const row = findOwned(state.refunds, workspaceId, id);
      return row && bare(row);
    },
    list: async (workspaceId, filter, page) => {
      const rows = ofWorkspace(state.refunds, workspaceId).reverse();
      return pageOf(rows.filter((row) => fits(row, filter)).map(bare), page);
    },
    findByIdempotencyKey: async (workspaceId, lineage, key) => {
      const row = ofWorkspace(state.refunds, workspaceId).find(
        ({ keyLineage, idempotency }) => keyLineage === lineage && idempotency?.key === key,
      );
      return row?.idempotency ? { refund: bare(row), fingerprint: row.idempotency.fingerprint } : null;
    },
    findRecentDuplicate: async (order, amountMinor, since) =>
      ofWorkspace(state.refunds, order.workspaceId).findLast(
        (row) =>
          nameOf(row) === nameOf(order) &&
          row.amount.amountMinor === amountMinor &&
          row.status !== 'failed' &&
          row.createdAt >= since,
      )?.id ?? null,
    sumCharges: async (workspaceId, lineages, since) => {
      const sums = new Map<string, ChargeSum>();
      for (const charge of ofWorkspace(state.ceilingCharges, workspaceId)) {
        const { refundId, lineage, retained, chargedAt } = charge;
        const refund = state.refunds.get(refundId);
        if (!refund || !lineages.includes(lineage)) continue;
        if (chargedAt < since && !isUnsent(refund)) continue;
        if (!retained && !reservingStatuses.includes(refund.status)) continue;
        const { currency, amountMinor } = refund.amount;
        const name = JSON.stringify([lineage, currency]);
        const before = sums.get(name)?.amountMinor ?? 0;
        sums.set(name, { lineage, currency, amountMinor: before + amountMinor });
      }
      return [...sums.values()];
    },
    sumUnapproved: async (order, lineages) => {
      const sums = new Map<string, number>();
      for (const { refundId, lineage } of ofWorkspace(state.ceilingCharges, order.workspaceId)) {
        const refund = state.refunds.get(refundId);
        const counts = refund && lineages.includes(lineage) && nameOf(refund) === nameOf(order);
        if (!counts || !reservingStatuses.includes(refund.status)) continue;
        if (approvalStateOf(state, refundId) !== null) continue;
        sums.set(lineage, (sums.get(lineage) ?? 0) + refund.amount.amountMinor);
      }
      return sums;
    },
    listChargedLineages: async (workspaceId, id) =>
      ofWorkspace(state.ceilingCharges, workspaceId)
        .filter(({ refundId }) => refundId === id)
        .sort((a, b) => a.position - b.position)
        .map(({ lineage }) => lineage),
    listAccounts: async (workspaceId, orders) =>
      orders.flatMap((order) => {
        const entry = state.ledgers.get(nameOf(order));
        if (!entry || order.workspaceId !== workspaceId) return [];
        const made = ofWorkspace(state.refunds, workspaceId)
          .filter((row) => nameOf(row) === nameOf(order))
          .filter(({ status }) => inFlightStatuses.includes(status) || status === 'succeeded')
          .map(bare);
        const recorded = made.filter(
          ({ status, resolvedBy }) => status !== 'succeeded' || resolvedBy !== null,
        );
        return [{ order, entry, recorded, made }];
      }),
    listUnsettled: async (limit) =>
      oldestFirst([...state.refunds.values()])
        .filter((row) => isOpen(row) && (row.nextAttemptAt?.getTime() ?? 0) <= nowMs())
        .filter((row) => row.sentAt !== null || !isHeld(state, row.connectionId))
        .slice(0, limit)
        .map(({ id, workspaceId }) => ({ id, workspaceId })),
    insert: async ({ approval: _, heldBy: __, ...refund }, idempotency) => {
      for (const row of ofWorkspace(state.refunds, refund.workspaceId)) {
        const both = inFlightStatuses.includes(row.status) && inFlightStatuses.includes(refund.status);
        assertUnique(
          !both || nameOf(row) !== nameOf(refund),
          `a refund in flight of ${refund.orderExternalId}`,
        );
        const sameKey = idempotency !== undefined && row.idempotency?.key === idempotency.key;
        assertUnique(
          !sameKey || row.keyLineage !== refund.keyLineage,
          `a refund with the key ${idempotency?.key}`,
        );
      }
      state.refunds.set(refund.id, { ...refund, leaseUntilMs: 0, idempotency: idempotency ?? null });
    },
    claim: async (id, leaseSeconds) => {
      const row = state.refunds.get(id);
      if (!row || !isOpen(row)) return null;
      const claimed = { ...row, epoch: row.epoch + 1, leaseUntilMs: nowMs() + leaseSeconds * 1000 };
      state.refunds.set(id, claimed);
      return bare(claimed);
    },
    extendLease: async (id, epoch, leaseSeconds) => {
      const row = state.refunds.get(id);
      if (row?.epoch !== epoch || row.leaseUntilMs === 0) return false;
      state.refunds.set(id, { ...row, leaseUntilMs: nowMs() + leaseSeconds * 1000 });
      return true;
    },
    markSent: async (id, epoch) => {
      const row = state.refunds.get(id);
      if (row?.epoch !== epoch || row.leaseUntilMs <= nowMs()) return 'lost';
      if (isHeld(state, row.connectionId)) return 'held';
      const now = clock.now();
      state.refunds.set(id, { ...row, sentAt: now, firstSentAt: row.firstSentAt ?? now });
      for (const charge of ofWorkspace(state.ceilingCharges, row.workspaceId)) {
        if (charge.refundId === id && row.firstSentAt === null && approvalStateOf(state, id) !== null)
          state.ceilingCharges.set(charge.id, { ...charge, chargedAt: now });
      }
      return 'sent';
    },
    settle: async (id, epoch, changes) => {
      const row = state.refunds.get(id);
      if (row?.epoch !== epoch) return false;
      state.refunds.set(id, { ...row, ...omitUndefined(changes), leaseUntilMs: 0 });
      return true;
    },
    releaseKeys: async (workspaceId, id) => {
      const row = findOwned(state.refunds, workspaceId, id);
      if (row) state.refunds.set(id, { ...row, idempotency: null });
      for (const quote of ofWorkspace(state.quotes, workspaceId)) {
        if (quote.usedBy === id) state.quotes.set(quote.id, { ...quote, usedBy: null });
      }
    },
    findQuote: async (workspaceId, id) => findOwned(state.quotes, workspaceId, id),
    insertQuote: async (quote) => {
      state.quotes.set(quote.id, quote);
    },
    useQuote: async (id, by) => {
      const quote = state.quotes.get(id);
      if (!quote || (quote.usedBy !== null && quote.usedBy !== by)) return false;
      state.quotes.set(id, { ...quote, usedBy: by });
      return true;
    },
  };
}

export const memoryLedger = (state: MemoryState): Ledger => ({
  lock: async (order, currency) => {
    const empty = { currency, capturedMinor: 0, refundedMinor: 0, reservedMinor: 0, inFlight: null };
    const entry = state.ledgers.get(nameOf(order)) ?? empty;
    state.ledgers.set(nameOf(order), entry);
    return entry;
  },
  save: async (order, entry) => {
    const { capturedMinor, refundedMinor, reservedMinor } = entry;
    if (refundedMinor < 0 || reservedMinor < 0 || refundedMinor + reservedMinor > capturedMinor) {
      throw new Error('a ledger must not exceed the captured amount, or fall below zero');
    }
    state.ledgers.set(nameOf(order), entry);
  },
  // Transactions are serialized here anyway.
  lockLineages: async () => undefined,
  charge: async ({ workspaceId, id: refundId, createdAt: chargedAt }, lineages) => {
    for (const [position, lineage] of lineages.entries()) {
      const id = `${refundId} ${lineage}`;
      const charge = { id, workspaceId, refundId, lineage, position, chargedAt };
      state.ceilingCharges.set(id, { ...charge, retained: false });
    }
  },
  retainCharges: async (workspaceId, refundId, lineages) => {
    for (const charge of ofWorkspace(state.ceilingCharges, workspaceId)) {
      if (charge.refundId !== refundId || !lineages.includes(charge.lineage)) continue;
      state.ceilingCharges.set(charge.id, { ...charge, retained: true });
    }
  },
});
