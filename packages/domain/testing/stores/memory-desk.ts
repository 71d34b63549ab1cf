import {
  reserving,
  type Clock,
  type Event,
  type Ids,
  type Job,
  type Ledger,
  type LedgerEntry,
  type Quote,
  type QuoteId,
  type Refund,
  type RefundId,
  type Refunds,
  type RemoteOrderKey,
  type Transactions,
  type Tx,
} from '../../src/index.js';

interface Row {
  readonly refund: Refund;
  readonly key: string | null;
  readonly fingerprint: string;
  readonly leaseUntilMs: number;
}

interface State {
  readonly rows: Map<RefundId, Row>;
  readonly quotes: Map<QuoteId, Quote>;
  readonly ledger: Map<string, LedgerEntry>;
}

/** Refunds, quotes, ledger and transactions in memory. Transactions take turns, and one that is refused leaves no trace. */
export function memoryDesk(
  clock: Clock,
  ids: Ids,
  events: Event[],
  jobs: { readonly job: Job; readonly startAfter: Date | undefined }[],
) {
  let state: State = { rows: new Map(), quotes: new Map(), ledger: new Map() };
  let turn: Promise<unknown> = Promise.resolve();

  const refunds: Refunds = {
    find: async (workspaceId, id) => {
      const refund = state.rows.get(id)?.refund;
      return refund?.workspaceId === workspaceId ? refund : null;
    },
    list: async (workspaceId, filter, { limit, after }) => {
      const fitting = [...state.rows.values()]
        .map(({ refund }) => refund)
        .filter(
          (refund) =>
            refund.workspaceId === workspaceId &&
            (filter.orderExternalId === undefined || refund.orderExternalId === filter.orderExternalId) &&
            (filter.connectionId === undefined || refund.connectionId === filter.connectionId) &&
            (filter.statuses === undefined || filter.statuses.includes(refund.status)),
        )
        .reverse();
      const from = after === undefined ? 0 : fitting.findIndex(({ id }) => id === after) + 1;
      const items = fitting.slice(from, from + limit);
      return { items, next: fitting.length > from + limit ? items.at(-1)?.id : undefined };
    },
    findByIdempotencyKey: async (workspaceId, lineage, key) => {
      const row = [...state.rows.values()].find(
        (item) =>
          item.key === key && item.refund.keyLineage === lineage && item.refund.workspaceId === workspaceId,
      );
      return row ? { refund: row.refund, fingerprint: row.fingerprint } : null;
    },
    findRecentTwin: async (order, amountMinor, since) =>
      [...state.rows.values()].find(
        ({ refund }) =>
          ledgerKey(refund) === ledgerKey(order) &&
          refund.amount.amountMinor === amountMinor &&
          refund.status !== 'failed' &&
          refund.createdAt >= since,
      )?.refund.id ?? null,
    sumByLineage: async (workspaceId, lineage, currency, since) =>
      [...state.rows.values()]
        .map(({ refund }) => refund)
        .filter(
          (refund) =>
            refund.workspaceId === workspaceId &&
            refund.keyLineage === lineage &&
            refund.amount.currency === currency &&
            refund.createdAt >= since &&
            reserving.includes(refund.status),
        )
        .reduce((sum, { amount }) => sum + amount.amountMinor, 0),
    listUnsettled: async (limit) =>
      [...state.rows.values()]
        .filter(
          ({ refund, leaseUntilMs }) =>
            (refund.status === 'pending' || refund.status === 'unknown') &&
            leaseUntilMs <= clock.now().getTime() &&
            (refund.nextAttemptAt === null || refund.nextAttemptAt <= clock.now()),
        )
        .slice(0, limit)
        .map(({ refund: { id, workspaceId } }) => ({ id, workspaceId })),
    insert: async (refund, idempotency) => {
      const { key = null, fingerprint = '' } = idempotency ?? {};
      if (
        key !== null &&
        (await refunds.findByIdempotencyKey(refund.workspaceId, refund.keyLineage ?? '', key))
      ) {
        throw new Error('the idempotency key is taken');
      }
      state.rows.set(refund.id, { refund, key, fingerprint, leaseUntilMs: 0 });
    },
    claim: async (id, leaseSeconds) => {
      const row = state.rows.get(id);
      const nowMs = clock.now().getTime();
      if (!row || (row.refund.status !== 'pending' && row.refund.status !== 'unknown')) return null;
      if (row.leaseUntilMs > nowMs) return null;
      const refund = { ...row.refund, epoch: row.refund.epoch + 1 };
      state.rows.set(id, { ...row, refund, leaseUntilMs: nowMs + leaseSeconds * 1000 });
      return refund;
    },
    markSent: async (id, epoch) => {
      const row = state.rows.get(id);
      if (row?.refund.epoch !== epoch || row.leaseUntilMs <= clock.now().getTime()) return false;
      state.rows.set(id, { ...row, refund: { ...row.refund, sentAt: row.refund.sentAt ?? clock.now() } });
      return true;
    },
    settle: async (id, epoch, changes) => {
      const row = state.rows.get(id);
      if (row?.refund.epoch !== epoch) return false;
      state.rows.set(id, { ...row, refund: { ...row.refund, ...changes }, leaseUntilMs: 0 });
      return true;
    },
    releaseKeys: async (_workspaceId, id) => {
      const row = state.rows.get(id);
      if (row) state.rows.set(id, { ...row, key: null });
      for (const quote of state.quotes.values()) {
        if (quote.usedBy === id) state.quotes.set(quote.id, { ...quote, usedBy: null });
      }
    },
    findQuote: async (workspaceId, id) => {
      const quote = state.quotes.get(id);
      return quote?.workspaceId === workspaceId ? quote : null;
    },
    insertQuote: async (quote) => void state.quotes.set(quote.id, quote),
    useQuote: async (id, by) => {
      const quote = state.quotes.get(id);
      if (!quote || (quote.usedBy !== null && quote.usedBy !== by)) return false;
      state.quotes.set(id, { ...quote, usedBy: by });
      return true;
    },
  };

  const ledger: Ledger = {
    lock: async (order, currency) =>
      state.ledger.get(ledgerKey(order)) ?? {
        currency,
        capturedMinor: 0,
        refundedMinor: 0,
        reservedMinor: 0,
        inFlight: null,
      },
    save: async (order, entry) => {
      const { capturedMinor, refundedMinor, reservedMinor } = entry;
      if (reservedMinor < 0 || refundedMinor < 0 || reservedMinor + refundedMinor > capturedMinor) {
        throw new Error('the ledger refuses more than was captured');
      }
      state.ledger.set(ledgerKey(order), entry);
    },
    lockLineage: async () => undefined,
  };

  const tx = {
    refunds,
    ledger,
    events: {
      append: async (event: Omit<Event, 'id' | 'createdAt'>) =>
        void events.push({ ...event, id: ids.next('evt'), createdAt: clock.now() }),
    },
    jobs: {
      enqueue: async (job: Job, when?: { readonly startAfter?: Date | undefined }) =>
        void jobs.push({ job, startAfter: when?.startAfter }),
    },
  } as unknown as Tx;

  const transactions: Transactions = {
    run: (work) => {
      const mine = turn.then(async () => {
        const before = {
          rows: new Map(state.rows),
          quotes: new Map(state.quotes),
          ledger: new Map(state.ledger),
        };
        const [eventCount, jobCount] = [events.length, jobs.length];
        const undo = () => {
          state = before;
          events.length = eventCount;
          jobs.length = jobCount;
        };
        try {
          const result = await work(tx);
          if (!result.ok) undo();
          return result;
        } catch (error) {
          undo();
          throw error;
        }
      });
      turn = mine.catch(() => undefined);
      return mine;
    },
  };

  return {
    refunds,
    transactions,
    entryOf: (order: RemoteOrderKey) => ledger.lock(order, '?'),
    all: () => [...state.rows.values()].map(({ refund }) => refund),
  };
}

const ledgerKey = ({ workspaceId, platform, remoteAccountId, orderExternalId }: RemoteOrderKey) =>
  JSON.stringify([workspaceId, platform, remoteAccountId, orderExternalId]);
