import { failure } from '../../src/failure.js';
import { money } from '../../src/money.js';
import type { RemoteOrder, RemoteRefund } from '../../src/orders/order.js';
import type {
  Clock,
  Manifest,
  OrderQuery,
  Platform,
  PlatformFailureCode,
  RefundInstruction,
} from '../../src/ports/index.js';
import type { OrderNoteCode } from '../../src/reason-codes.js';
import { ok, refuseWith, type Result } from '../../src/result.js';
import { comesBefore, matchesQuery, sortTimeMs } from '../../src/orders/order-filter.js';
import { bareManifest } from '../bare-manifest.js';

/** The fault of the next refund: before or after the store acts, or in its response. */
export type RefundFault =
  | 'unreachable'
  | 'lost-before'
  | 'lost-after'
  | 'garbage-after'
  | 'refuse'
  | 'unclear'
  | 'throws-after'
  | 'settles-later'
  | 'other-amount';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  readonly id?: string;
  readonly orders?: readonly RemoteOrder[];
  readonly latencyMs?: number;
  /** The filters that it applies; it ignores the others and returns everything, as real stores do. */
  readonly filters?: readonly (keyof OrderQuery)[];
  /**
   * How its page tokens work: after an order, or after a number of orders, which shifts when orders are added
   * or removed.
   */
  readonly tokens?: 'keyset' | 'offset';
  /** Whether its adapter declares page numbers. */
  readonly countsPages?: boolean;
  /** The maximum page size, regardless of the request. */
  readonly pageMax?: number;
  /**
   * Orders from before this time are hidden, which it notes on every page, on the first or, newest first,
   * where they would follow.
   */
  readonly history?: {
    readonly from: Date;
    readonly noteShownOn: 'every page' | 'the first page' | 'the last page';
  };
  /** Called before each response of `list`: returns its fault. */
  readonly onList?: () => 'fails' | 'hangs' | 'throttles' | 'throws' | null;
  /** It accepts refunds that together exceed the captured amount, as some real stores do. */
  readonly acceptsOverRefunds?: boolean;
  readonly readsBack?: boolean;
  /** Whether its adapter declares that it may settle after its response; default true. */
  readonly settlesLater?: boolean;
  /** Its own calculation of lines and shipping. */
  readonly calculates?: (wanted: Pick<RefundInstruction, 'lines' | 'shippingMinor'>) => {
    readonly linesMinor: number;
    readonly shippingMinor: number;
  };
}

export const everyFilter: readonly (keyof OrderQuery)[] = [
  'statuses',
  'paymentStatuses',
  'fulfillmentStatuses',
  'createdAfter',
  'createdBefore',
  'updatedAfter',
  'updatedBefore',
  'number',
  'email',
  'minTotalMinor',
  'maxTotalMinor',
  'currency',
];

/** An in-memory store without idempotency, whose ledger of effects records what really happened. */
export function memoryStore(options: MemoryStoreOptions) {
  const {
    clock,
    id = 'memory_store',
    latencyMs = 5,
    filters = everyFilter,
    tokens = 'keyset',
    countsPages = false,
    pageMax = 100,
    history = null,
    onList = () => null,
    acceptsOverRefunds = false,
    calculates,
  } = options;
  const orders = new Map((options.orders ?? []).map((order) => [order.externalId, order]));
  const refunds: (RemoteRefund & { readonly order: string })[] = [];
  const faults: RefundFault[] = [];
  const switches = {
    listFails: false,
    getFails: false,
    getThrows: false,
    findFails: false,
    findThrows: false,
    /**
     * It responds that it cannot determine the outcome, as stores do that record a refund only after paying
     * it.
     */
    cannotTell: false,
    hidesRefunds: false,
    lags: false,
    notes: [] as OrderNoteCode[],
  };
  const calls = { list: 0, get: 0, refund: 0, find: 0 };

  const wait = () => clock.sleep(latencyMs);
  const unavailable = () => refuseWith(failure('platform.unavailable', 'The store cannot be reached.'));
  const rateLimited = () =>
    refuseWith(failure('platform.rate_limited', 'Too many requests.', { retryAfterSeconds: 2 }));
  const current = (order: RemoteOrder) =>
    withRefunds(
      order,
      refunds.filter((refund) => refund.order === order.externalId),
    );

  const recordRefund = (
    instruction: RefundInstruction,
    status: RemoteRefund['status'],
    amountMinor = instruction.amountMinor,
  ) => {
    const refund = {
      externalId: `re_${refunds.length + 1}`,
      order: instruction.orderExternalId,
      status,
      amount: money(amountMinor, instruction.currency),
      reference: instruction.reference,
      reason: instruction.reason,
      paymentId: instruction.payments[0]?.id ?? null,
      moneyMoved: status === 'succeeded' && instruction.payments.some(({ moneyMoved }) => moneyMoved),
      createdAt: clock.now(),
    };
    refunds.push(refund);
    return refund;
  };

  async function refund(
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>> {
    calls.refund++;
    const fault = faults.shift();
    if (fault === 'unreachable') return unavailable();
    const order = orders.get(instruction.orderExternalId);
    const left = order ? current(order).totals.refundable.amountMinor : 0;
    await wait();
    if (fault === 'lost-before')
      return refuseWith(failure('platform.outcome_unknown', 'No response was received.'));
    const leftNow = order && !acceptsOverRefunds ? current(order).totals.refundable.amountMinor : left;
    if (fault === 'refuse' || !order || instruction.amountMinor > leftNow) {
      return refuseWith(
        failure('refund.refused', 'The store refused.', { platform: { name: 'Memory', message: 'no' } }),
      );
    }
    if (fault === 'unclear') {
      return refuseWith(
        failure('refund.unclear', 'Look there.', { platform: { name: 'Memory', message: 'an error' } }),
      );
    }
    const made = recordRefund(
      instruction,
      fault === 'settles-later' ? 'pending' : 'succeeded',
      fault === 'other-amount' ? instruction.amountMinor - 1 : instruction.amountMinor,
    );
    await wait();
    if (fault === 'lost-after')
      return refuseWith(failure('platform.outcome_unknown', 'No response was received.'));
    if (fault === 'throws-after') throw new TypeError('a bug of the adapter');
    if (fault === 'garbage-after')
      return refuseWith(failure('platform.invalid_response', 'The response is invalid.'));
    return ok(made);
  }

  const platform: Platform = {
    manifest: manifestOf(id, options.settlesLater ?? true),
    connecting: { identify: () => Promise.reject(new Error('not asked here')) },
    orders: {
      filters,
      countsPages,
      async list(session, query, page) {
        calls.list++;
        const failureMode = onList();
        await clock.sleep(failureMode === 'hangs' ? HANG_MS : latencyMs, session.signal);
        if (switches.listFails || failureMode === 'fails') return unavailable();
        if (failureMode === 'throttles') return rateLimited();
        if (failureMode === 'throws') throw new SyntaxError('a bug of the adapter');
        const known = Object.fromEntries(
          Object.entries(query).filter(
            ([name]) => name === 'sort' || filters.includes(name as keyof OrderQuery),
          ),
        ) as unknown as OrderQuery;
        const sorted = [...orders.values()]
          .map(current)
          .filter(
            (order) => matchesQuery(order, known) && (history === null || order.createdAt >= history.from),
          )
          .sort(inOrder(query));
        const from = startOf(sorted, page.token, tokens, query);
        const end = from + Math.min(page.limit, pageMax);
        const part = sorted.slice(from, end);
        const last = part.at(-1);
        const more = end < sorted.length && last;
        const next = tokens === 'offset' ? String(end) : last && keysetToken(last, query);
        const limited = history !== null && showsHistoryNote(history.noteShownOn, query, page.token, !more);
        const notes = [...switches.notes, ...(limited ? (['orders.history_limited'] as const) : [])];
        return ok({ orders: part, notes, ...(more && { next }) });
      },
      async get(_session, externalId) {
        calls.get++;
        await wait();
        const order = orders.get(externalId);
        if (switches.getThrows) throw new TypeError('a bug of the adapter');
        return switches.getFails
          ? unavailable()
          : ok(order ? (switches.lags ? order : current(order)) : null);
      },
    },
    refunds: {
      refund: (_session, instruction) => refund(instruction),
      ...(options.readsBack !== false && {
        async find(_session, { reference, orderExternalId }) {
          calls.find++;
          await wait();
          if (switches.findFails) return unavailable();
          if (switches.findThrows) throw new TypeError('a bug of the adapter');
          if (!orders.has(orderExternalId))
            return refuseWith(failure('platform.refused', 'There is no such order.'));
          if (switches.cannotTell)
            return refuseWith(failure('platform.outcome_unknown', 'What the store shows cannot tell.'));
          return ok(
            switches.hidesRefunds ? null : (refunds.find((made) => made.reference === reference) ?? null),
          );
        },
      }),
      ...(calculates && { calculate: async (_session, _order, wanted) => ok(calculates(wanted)) }),
    },
  };

  return {
    platform,
    orders,
    refunds,
    faults,
    switches,
    calls,
    put: (order: RemoteOrder) => void orders.set(order.externalId, order),
    remove: (externalId: string) => void orders.delete(externalId),
    /** A refund that was made in the store itself, or that appears there late. */
    refundElsewhere: (order: string, amountMinor: number, reference = elsewhere.reference) =>
      recordRefund({ ...elsewhere, orderExternalId: order, amountMinor, reference }, 'succeeded'),
    settle: (status: 'succeeded' | 'failed') => {
      for (const [at, made] of refunds.entries()) {
        if (made.status === 'pending') refunds[at] = { ...made, status, moneyMoved: status === 'succeeded' };
      }
    },
    refundedMinor: (order: string) =>
      refunds
        .filter((made) => made.order === order && made.status !== 'failed')
        .reduce((sum, { amount }) => sum + amount.amountMinor, 0),
  };
}

export type MemoryStore = ReturnType<typeof memoryStore>;

/** Longer than any timeout. */
const HANG_MS = 60_000;

const elsewhere: RefundInstruction = {
  orderExternalId: '',
  reference: 'made in the store',
  kind: 'amount',
  amountMinor: 0,
  currency: 'EUR',
  payments: [{ id: 'card', amountMinor: 0, moneyMoved: true }],
  lines: [],
  shippingMinor: 0,
  restock: false,
  reason: null,
  note: null,
  notifyCustomer: null,
};

function showsHistoryNote(
  noteShownOn: string,
  { sort }: OrderQuery,
  token: string | undefined,
  isLast: boolean,
): boolean {
  if (noteShownOn === 'the last page' && sort === '-created_at') return isLast;
  return noteShownOn === 'every page' || token === undefined;
}

const inOrder =
  ({ sort }: OrderQuery) =>
  (a: PagePosition, b: PagePosition) => {
    const [left, right] = [sortTimeMs(a, sort), sortTimeMs(b, sort)];
    if (left !== right) return comesBefore(left, right, sort) ? -1 : 1;
    // A tie-break that differs from this service's: by the length of the id first, as numeric ids are
    // ordered.
    return a.externalId.length - b.externalId.length || (a.externalId < b.externalId ? -1 : 1);
  };

type PagePosition = Pick<RemoteOrder, 'externalId' | 'createdAt' | 'updatedAt'>;

/** The position of the last order of a page: it need not exist any more. */
const keysetToken = (last: RemoteOrder, { sort }: OrderQuery): string =>
  JSON.stringify([sortTimeMs(last, sort), last.externalId]);

function startOf(
  sorted: readonly RemoteOrder[],
  token: string | undefined,
  tokens: 'keyset' | 'offset',
  query: OrderQuery,
): number {
  if (token === undefined) return 0;
  if (tokens === 'offset') return Number(token);
  const [timeMs, externalId] = JSON.parse(token) as [number, string];
  const at = { externalId, createdAt: new Date(timeMs), updatedAt: new Date(timeMs) };
  const place = inOrder(query);
  const found = sorted.findIndex((order) => order.externalId !== externalId && place(order, at) > 0);
  return found === -1 ? sorted.length : found;
}

/** The order as the store shows it after these refunds: the remainder of each payment, and of the order. */
function withRefunds(order: RemoteOrder, made: readonly RemoteRefund[]): RemoteOrder {
  const counted = made.filter(({ status }) => status !== 'failed');
  const sum = (of: readonly RemoteRefund[]) =>
    of.reduce((total, { amount }) => total + amount.amountMinor, 0);
  const refundedMinor = sum(counted.filter(({ status }) => status === 'succeeded'));
  const { captured, refunded } = order.totals;
  const of = (amountMinor: number) => money(amountMinor, order.currency);
  return {
    ...order,
    totals: {
      ...order.totals,
      refunded: of(refunded.amountMinor + refundedMinor),
      refundable: of(Math.max(0, captured.amountMinor - refunded.amountMinor - sum(counted))),
    },
    payments: order.payments.map((payment) => {
      const spent = sum(counted.filter(({ paymentId }) => paymentId === payment.id));
      return {
        ...payment,
        refunded: of(spent),
        refundable: of(Math.max(0, payment.captured.amountMinor - spent)),
      };
    }),
    refunds: made,
  };
}

const manifestOf = (id: string, settlesLater: boolean): Manifest => ({
  ...bareManifest,
  id,
  name: 'Memory store',
  kind: 'commerce',
  refunds: {
    lines: true,
    shipping: true,
    restock: true,
    restockByLine: true,
    locations: true,
    notifyCustomer: true,
    offline: true,
    settlesLater,
    idempotent: false,
  },
});
