import type { KeyTree } from './key-tree.js';

/** The response to one refund request; `status` 0: no response. */
export interface RefundResponse {
  readonly order: string;
  readonly key: string | null;
  readonly quoteId: string | null;
  readonly status: number;
  readonly code: string | null;
  /** The refund ID, when the response contains one; for a success also the refund's status. */
  readonly refundId: string | null;
  readonly refundStatus: string | null;
  readonly amountMinor: number | null;
  /** The requested amount, when the request names one. */
  readonly requestedMinor: number | null;
}

/** The final state of a refund in the service. */
export interface RecordedRefund {
  readonly id: string;
  readonly order: string;
  readonly status: string;
  readonly externalId: string | null;
  readonly amountMinor: number;
  readonly key: string | null;
  readonly quoteId: string | null;
  /** The ID of the requesting key. */
  readonly createdBy: string;
  readonly currency: string;
  /** The UTC day of the reservation. */
  readonly day: string;
  /** Types of the events of the refund. */
  readonly events: readonly string[];
}

/** A refund in the store's own ledger. */
export interface RefundEffect {
  readonly id: string;
  readonly order: string;
  readonly reference: string | null;
  readonly amountMinor: number;
}

/** The final state of an order: the store's presentation and the service's ledger. */
export interface FinalOrder {
  readonly order: string;
  readonly capturedMinor: number;
  readonly shownRefundedMinor: number;
  readonly ledger: {
    readonly refundedMinor: number;
    readonly reservedMinor: number;
    readonly inFlight: boolean;
  } | null;
}

/** The responses allowed when many requests target one order concurrently and the store fails. */
const REFUSALS = new Set([
  'idempotency.in_progress',
  'idempotency.key_reused',
  'key.refund_ceiling_exceeded',
  'quote.changed',
  'refund.exceeds_refundable',
  'refund.in_doubt',
  'refund.in_progress',
  'refund.possible_duplicate',
  'refund.refused',
  'platform.invalid_response',
  'platform.rate_limited',
  'platform.unavailable',
  'platform.outcome_unknown',
  'rate_limit.exceeded',
]);
const FINAL_STATUSES = ['succeeded', 'failed'];

/**
 * The refund invariants; the store's ledger is the source of truth. One message per violation, with the
 * order.
 */
export function checkRefundInvariants(
  responses: readonly RefundResponse[],
  refunds: readonly RecordedRefund[],
  effects: readonly RefundEffect[],
  orders: readonly FinalOrder[],
): readonly string[] {
  const broken: string[] = [];
  const byId = new Map(refunds.map((refund) => [refund.id, refund]));
  const effectOf = new Map(
    refunds.map(({ id, externalId }) => [id, effects.filter((made) => made.id === externalId)]),
  );
  const sum = (of: readonly RefundEffect[]) => of.reduce((total, { amountMinor }) => total + amountMinor, 0);
  const effectsOf = Map.groupBy(effects, ({ order }) => order);
  const refundsOf = Map.groupBy(refunds, ({ order }) => order);

  for (const { order, capturedMinor, shownRefundedMinor, ledger } of orders) {
    const report = (law: string) => void broken.push(`${order}: ${law}`);
    const made = effectsOf.get(order) ?? [];
    const succeeded = (refundsOf.get(order) ?? []).filter(({ status }) => status === 'succeeded');
    if (sum(made) > capturedMinor) report(`refunded ${sum(made)} of ${capturedMinor}`);
    if (new Set(made.map(({ reference }) => reference)).size < made.length)
      report('one refund was made twice');
    const [ours, theirs] = [
      succeeded.map(idAndAmount),
      made.map(({ id, amountMinor }) => `${id} ${amountMinor}`),
    ];
    if (ours.sort().join() !== theirs.sort().join())
      report(`our refunds are ${ours.join()}, the store’s are ${theirs.join()}`);
    if (shownRefundedMinor !== sum(made))
      report(`the order shows ${shownRefundedMinor}, but ${sum(made)} were refunded`);
    const { refundedMinor = 0, reservedMinor = 0, inFlight = false } = ledger ?? {};
    if (refundedMinor !== sum(made))
      report(`our ledger has ${refundedMinor}, the store’s ledger has ${sum(made)}`);
    if (reservedMinor !== 0 || inFlight) report(`${reservedMinor} are still reserved`);
  }
  for (const { id, order, status, events } of refunds) {
    if (!FINAL_STATUSES.includes(status)) broken.push(`${order}: ${id} is still ${status}`);
    for (const type of ['refund.created', `refund.${status}`]) {
      const times = events.filter((one) => one === type).length;
      if (times !== 1) broken.push(`${order}: ${id} has ${times} events of type ${type}`);
    }
  }
  for (const [what, of] of [
    ['key', ({ key }: { key: string | null }) => key],
    ['quote', ({ quoteId }: { quoteId: string | null }) => quoteId],
  ] as const) {
    const ids = new Map<string, Set<string>>();
    const add = (name: string | null, id: string | null) => {
      if (name !== null && id !== null) ids.set(name, (ids.get(name) ?? new Set()).add(id));
    };
    for (const refund of refunds) add(of(refund), refund.id);
    for (const answer of responses) if (answer.status === 201) add(of(answer), answer.refundId);
    for (const [name, made] of ids) {
      const times = [...made].flatMap((id) => effectOf.get(id) ?? []).length;
      if (times > 1) broken.push(`the ${what} ${name} moved money ${times} times`);
    }
  }
  for (const answer of responses) {
    const law = checkResponse(answer, answer.refundId === null ? undefined : byId.get(answer.refundId));
    if (law) broken.push(`${answer.order}: ${law}`);
  }
  return broken;
}

/**
 * Compares the refunds that a lineage and its descendants made on one day with the daily ceiling of that
 * lineage. One message per exceeded ceiling.
 */
export function checkCeilings(
  refunds: readonly RecordedRefund[],
  effects: readonly RefundEffect[],
  { coveredBy, ceilingsOf }: Pick<KeyTree, 'coveredBy' | 'ceilingsOf'>,
): { readonly broken: readonly string[]; readonly movedMinor: Readonly<Record<string, number>> } {
  const byId = new Map(refunds.map((refund) => [refund.id, refund]));
  const moved = new Map<string, { ceiling: number; minor: number }>();
  for (const { reference, amountMinor } of effects) {
    const refund = reference === null ? undefined : byId.get(reference);
    if (!refund) continue;
    for (const lineage of coveredBy.get(refund.createdBy) ?? []) {
      const name = `${lineage} ${refund.currency} ${refund.day}`;
      const ceiling = ceilingsOf.get(lineage)?.get(refund.currency) ?? 0;
      moved.set(name, { ceiling, minor: (moved.get(name)?.minor ?? 0) + amountMinor });
    }
  }
  return {
    broken: [...moved].flatMap(([name, { ceiling, minor }]) =>
      minor > ceiling ? [`${name}: refunded ${minor} under a ceiling of ${ceiling}`] : [],
    ),
    movedMinor: Object.fromEntries([...moved].map(([name, { minor }]) => [name, minor])),
  };
}

const idAndAmount = ({ externalId, amountMinor }: RecordedRefund): string => `${externalId} ${amountMinor}`;

function checkResponse(answer: RefundResponse, refund: RecordedRefund | undefined): string | null {
  const { status, code, refundId, refundStatus, amountMinor, requestedMinor } = answer;
  if (status === 0) return null;
  if (status === 201) {
    if (!refund) return `${refundId} was returned and is missing`;
    if (refundStatus === 'succeeded' && refund.status !== 'succeeded')
      return `${refundId} was returned as succeeded and is ${refund.status}`;
    if (amountMinor !== refund.amountMinor || (requestedMinor !== null && requestedMinor !== amountMinor))
      return `${refundId}: requested ${requestedMinor}, returned ${amountMinor}, refunded ${refund.amountMinor}`;
    return null;
  }
  if (code === null || !REFUSALS.has(code)) return `received the response ${status} ${code}`;
  // An error that names the request's own refund means that no money moved; other errors name the refund that
  // blocks the request.
  const ownRefund = /^(platform\.|refund\.(refused|exceeds_refundable))/.test(code);
  if (ownRefund && refund && refund.status !== 'failed')
    return `${refundId} received ${code} and is ${refund.status}`;
  return null;
}
