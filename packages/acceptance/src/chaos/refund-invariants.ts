import type { KeyTree } from './key-tree.js';

/** What one request for a refund was told; `status` 0: nobody answered. */
export interface RefundResponse {
  readonly order: string;
  readonly key: string | null;
  readonly quoteId: string | null;
  readonly status: number;
  readonly code: string | null;
  /** The refund's id, where one was named; of a success also how it then was. */
  readonly refundId: string | null;
  readonly refundStatus: string | null;
  readonly amountMinor: number | null;
  /** What exactly was asked for, where that is a number. */
  readonly requestedMinor: number | null;
}

/** A refund as the service has it in the end. */
export interface RecordedRefund {
  readonly id: string;
  readonly order: string;
  readonly status: string;
  readonly externalId: string | null;
  readonly amountMinor: number;
  readonly key: string | null;
  readonly quoteId: string | null;
  /** The id of the key that asked for it. */
  readonly createdBy: string;
  readonly currency: string;
  /** The UTC day on which it was reserved. */
  readonly day: string;
  /** Types of the events about it. */
  readonly events: readonly string[];
}

/** Money that has really gone back, from the store's own ledger. */
export interface RefundEffect {
  readonly id: string;
  readonly order: string;
  readonly reference: string | null;
  readonly amountMinor: number;
}

/** An order in the end: what the store shows of it, and the service's account of it. */
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

/** What may be answered when many ask for one order at once, and the store fails meanwhile. */
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

/** The laws of refunds; the store's ledger is the judge. One sentence for each that was broken, with the order by which. */
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
    if (sum(made) > capturedMinor) report(`${sum(made)} of ${capturedMinor} were refunded`);
    if (new Set(made.map(({ reference }) => reference)).size < made.length)
      report('one refund was made twice');
    const [ours, theirs] = [
      succeeded.map(idAndAmount),
      made.map(({ id, amountMinor }) => `${id} ${amountMinor}`),
    ];
    if (ours.sort().join() !== theirs.sort().join())
      report(`ours are ${ours.join()}, the store’s ${theirs.join()}`);
    if (shownRefundedMinor !== sum(made))
      report(`the order shows ${shownRefundedMinor}, and ${sum(made)} were refunded`);
    const { refundedMinor = 0, reservedMinor = 0, inFlight = false } = ledger ?? {};
    if (refundedMinor !== sum(made))
      report(`our account says ${refundedMinor}, the store’s ledger ${sum(made)}`);
    if (reservedMinor !== 0 || inFlight) report(`${reservedMinor} are still reserved`);
  }
  for (const { id, order, status, events } of refunds) {
    if (!FINAL_STATUSES.includes(status)) broken.push(`${order}: ${id} is still ${status}`);
    for (const type of ['refund.created', `refund.${status}`]) {
      const times = events.filter((one) => one === type).length;
      if (times !== 1) broken.push(`${order}: ${id} was told ${times} times as ${type}`);
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
 * What really moved on one day by the refunds of a lineage and its descendants, held against the daily ceiling of that lineage.
 * One sentence for each ceiling that was exceeded.
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
      minor > ceiling ? [`${name}: ${minor} were refunded under a ceiling of ${ceiling}`] : [],
    ),
    movedMinor: Object.fromEntries([...moved].map(([name, { minor }]) => [name, minor])),
  };
}

const idAndAmount = ({ externalId, amountMinor }: RecordedRefund): string => `${externalId} ${amountMinor}`;

function checkResponse(answer: RefundResponse, refund: RecordedRefund | undefined): string | null {
  const { status, code, refundId, refundStatus, amountMinor, requestedMinor: askedMinor } = answer;
  if (status === 0) return null;
  if (status === 201) {
    if (!refund) return `${refundId} was answered and is gone`;
    if (refundStatus === 'succeeded' && refund.status !== 'succeeded')
      return `${refundId} was answered as succeeded and is ${refund.status}`;
    if (amountMinor !== refund.amountMinor || (askedMinor !== null && askedMinor !== amountMinor))
      return `${refundId}: ${askedMinor} were asked, ${amountMinor} answered, ${refund.amountMinor} refunded`;
    return null;
  }
  if (code === null || !REFUSALS.has(code)) return `was answered ${status} ${code}`;
  // A refusal that names its own refund says that nothing happened; others name the one that they wait for.
  const ownRefund = /^(platform\.|refund\.(refused|exceeds_refundable))/.test(code);
  if (ownRefund && refund && refund.status !== 'failed')
    return `${refundId} was answered ${code} and is ${refund.status}`;
  return null;
}
