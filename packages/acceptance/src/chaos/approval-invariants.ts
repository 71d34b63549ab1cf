/** What a caller was shown about a pending approval: that is what an approval approves. */
export interface ApprovalView {
  readonly approval: string;
  /** The text of the post, or the order and the amount of the refund. */
  readonly content: string;
  /** The time before which a post may not be published; null for a refund. */
  readonly scheduledAt: string | null;
}

export interface DecisionResponse {
  readonly approval: string;
  readonly verb: 'approve' | 'reject';
  /** Whether the key took no part in the request. */
  readonly isIndependent: boolean;
  /** 0: no response. */
  readonly status: number;
  readonly code: string | null;
  /** The status of the approval that the response contains, also within a refusal. */
  readonly reported: string | null;
}

/** The final state of an approval in the service. */
export interface RecordedApproval {
  readonly id: string;
  readonly status: string;
  /** The IDs of what it covers: deliveries, or one refund. */
  readonly covers: readonly string[];
  readonly requestedAt: string;
  readonly decidedAt: string | null;
  readonly decidedEvents: number;
  /** The audit rows of its approval or rejection. */
  readonly auditedDecisions: number;
  /** Whether each of these rows has the digests of the approval. */
  readonly hasAuditedDigests: boolean;
}

/** The final state of a delivery or a refund. */
export interface RecordedSubject {
  readonly id: string;
  readonly status: string;
  readonly errorCode: string | null;
  /** The account of a delivery at the platform, or of a refund's store. */
  readonly account: string;
}

/** A post or a refund that exists at a platform, according to its own ledger. */
export interface ApprovedEffect {
  /** The delivery or the refund. */
  readonly subject: string;
  readonly content: string;
  readonly account: string;
  readonly at: string;
}

/** The final state of what refunds reserve. */
export interface FinalReservations {
  readonly orders: readonly {
    readonly order: string;
    readonly refundedMinor: number;
    readonly reservedMinor: number;
    readonly inFlight: string | null;
    readonly movedMinor: number;
  }[];
  /** Per requesting key and currency. */
  readonly ceilings: readonly {
    readonly name: string;
    readonly usedMinor: number;
    readonly movedMinor: number;
  }[];
}

export interface ApprovalHistory {
  readonly views: readonly ApprovalView[];
  readonly decisions: readonly DecisionResponse[];
  readonly approvals: readonly RecordedApproval[];
  readonly subjects: readonly RecordedSubject[];
  readonly effects: readonly ApprovedEffect[];
  readonly reservations: FinalReservations;
}

const OUTCOMES = { approve: 'approved', reject: 'rejected' } as const;
/** The final statuses of something that was sent exactly once. */
const SENT_STATUSES = ['published', 'succeeded'];
/** A post may be cancelled between its approval and its time. */
const UNSENT_STATUSES = ['failed', 'cancelled', 'missed'];

/** One message per violated invariant, with the ID of what it concerns. */
export function checkApprovalInvariants(history: ApprovalHistory): readonly string[] {
  const { approvals, subjects, reservations } = history;
  const ids = new Set(subjects.map(({ id }) => id));
  const effectsOf = Map.groupBy(history.effects, ({ subject }) => subject);
  const viewsOf = Map.groupBy(history.views, ({ approval }) => approval);
  return [
    ...approvals.flatMap((approval) => checkDecidedOnce(approval, viewsOf.get(approval.id) ?? [])),
    ...checkResponses(history),
    ...[...effectsOf.keys()]
      .filter((id) => !ids.has(id))
      .map((id) => `${id}: exists at the platform and not in the service`),
    ...subjects.flatMap((subject) => {
      const covering = approvals
        .filter(({ covers }) => covers.includes(subject.id))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      return checkSubject(subject, covering, effectsOf.get(subject.id) ?? [], viewsOf);
    }),
    ...checkReservations(reservations),
  ];
}

function checkDecidedOnce(approval: RecordedApproval, views: readonly ApprovalView[]): readonly string[] {
  const { id, status, decidedEvents, auditedDecisions, hasAuditedDigests } = approval;
  const broken: string[] = [];
  if (status === 'pending') broken.push(`${id}: is still pending`);
  const isDecision = status === 'approved' || status === 'rejected';
  const events = status === 'pending' ? 0 : 1;
  if (decidedEvents !== events) broken.push(`${id}: is ${status} with ${decidedEvents} events`);
  if (auditedDecisions !== (isDecision ? 1 : 0))
    broken.push(`${id}: is ${status} with ${auditedDecisions} audited decisions`);
  if (!hasAuditedDigests) broken.push(`${id}: the audited digests are not those of the approval`);
  const contents = new Set(views.map(({ content, scheduledAt }) => `${content} at ${scheduledAt}`));
  if (contents.size > 1) broken.push(`${id}: was shown with ${[...contents].join(' and ')}`);
  return broken;
}

function checkResponses({ decisions, approvals }: ApprovalHistory): readonly string[] {
  const byId = new Map(approvals.map((approval) => [approval.id, approval]));
  return decisions.flatMap(({ approval: id, verb, isIndependent, status, code, reported }) => {
    const final = byId.get(id)?.status;
    const report = (law: string) => [`${id}: ${verb} ${law}, and is ${final}`];
    if (status === 0) return [];
    if (!isIndependent)
      return code === 'approval.not_permitted' ? [] : report(`of a requester received ${status} ${code}`);
    if (status === 200)
      return final === OUTCOMES[verb] && reported === final ? [] : report(`received ${reported}`);
    if (code !== 'approval.decided') return report(`received ${status} ${code}`);
    // An edit or a cancellation can withdraw an approval between its expiry and the sweep that records it.
    const isConsistent = reported === final || (reported === 'expired' && final === 'withdrawn');
    return isConsistent && final !== OUTCOMES[verb] ? [] : report(`was refused because it was ${reported}`);
  });
}

/** `covering`: the approvals of the delivery or the refund, oldest first. */
function checkSubject(
  { id, status, errorCode, account }: RecordedSubject,
  covering: readonly RecordedApproval[],
  effects: readonly ApprovedEffect[],
  viewsOf: ReadonlyMap<string, readonly ApprovalView[]>,
): readonly string[] {
  const broken: string[] = [];
  const report = (law: string) => void broken.push(`${id}: ${law}`);
  if (effects.length > 1) report(`exists ${effects.length} times`);
  for (const effect of effects) {
    const latest = covering.findLast(({ requestedAt }) => requestedAt <= effect.at);
    if (latest?.status !== 'approved' || latest.decidedAt === null || latest.decidedAt > effect.at) {
      report(`was sent at ${effect.at}, while ${latest?.id ?? 'no approval'} was not approved`);
      continue;
    }
    const [view] = viewsOf.get(latest.id) ?? [];
    if (view?.content !== effect.content)
      report(`"${effect.content}" was sent, "${view?.content}" was approved (${latest.id})`);
    if (view?.scheduledAt && view.scheduledAt > effect.at)
      report(`was sent at ${effect.at}, before ${view.scheduledAt}`);
    if (effect.account !== account) report(`was sent to ${effect.account} instead of ${account}`);
  }
  const last = covering.at(-1);
  if (!last) report('waits for no approval');
  const isSent = SENT_STATUSES.includes(status);
  if (!isSent && !UNSENT_STATUSES.includes(status)) report(`is still ${status}`);
  if (isSent && effects.length === 0) report(`is ${status} and does not exist`);
  if (!isSent && effects.length > 0) report(`is ${status} and exists`);
  if (last?.status === 'approved' && !isSent && status !== 'cancelled')
    report(`was approved and is ${status} (${errorCode})`);
  const refusal = last?.status === 'rejected' || last?.status === 'expired' ? last.status : null;
  if (refusal && !(status === 'failed' && errorCode === `approval.${refusal}`) && status !== 'cancelled')
    report(`was ${refusal} and is ${status} (${errorCode})`);
  return broken;
}

const checkReservations = ({ orders, ceilings }: FinalReservations): readonly string[] => [
  ...orders.flatMap(({ order, refundedMinor, reservedMinor, inFlight, movedMinor }) => [
    ...(reservedMinor !== 0 || inFlight !== null ? [`${order}: ${reservedMinor} are reserved`] : []),
    ...(refundedMinor !== movedMinor
      ? [`${order}: ${refundedMinor} are recorded as refunded, ${movedMinor} were`]
      : []),
  ]),
  ...ceilings.flatMap(({ name, usedMinor, movedMinor }) =>
    usedMinor === movedMinor ? [] : [`${name}: ${usedMinor} of the ceiling are used, ${movedMinor} moved`],
  ),
];
