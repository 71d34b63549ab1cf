import { createHash } from 'node:crypto';
import {
  ok,
  quotePlatform,
  refuse,
  type Failure,
  type PlatformFailureCode,
  type RefundInstruction,
  type RefundPayment,
  type Refunding,
  type Refused,
  type RemoteRefund,
  type Result,
  type Session,
} from '@switchboard/domain';
import { unreadable, type Words, type Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { marked } from '../kit/mark.js';
import { foundAsOne, refundEach } from '../kit/refund-each.js';
import { everyOne } from './every-one.js';
import { readRefund, refundedOf } from './read-paid.js';
import { findPayment, findRefund } from './read-payments.js';
import { ask, dialect, refundAnswer } from './wire.js';

type Made = Result<RemoteRefund, PlatformFailureCode | 'refund.unclear'>;

const REASON_MAX = 192;

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEach(instruction, (payment) => refundPayment(session, instruction, payment)),

  async find(session, instruction) {
    const found = everyOne(
      await Promise.all(instruction.payments.map((payment) => readStanding(session, instruction, payment))),
    );
    return found.ok
      ? foundAsOne(
          instruction,
          found.value.flatMap(({ ours }) => ours ?? []),
        )
      : found;
  },
};

/** The codes of an answer that does not say whether the refund was made. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'CONFLICT',
  'REQUEST_TIMEOUT',
  'TEMPORARY_ERROR',
  'INTERNAL_SERVER_ERROR',
  'BAD_GATEWAY',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
]);

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
): Promise<Made> {
  const before = await readStanding(session, instruction, payment);
  if (!before.ok) return beforeSending(dialect, before);
  const { ours, leftMinor, countedLeftMinor, version, source } = before.value;
  if (ours) return ok(ours);
  // The version says that nothing changes from this look on, and Square judges all but what is on its way.
  const isLetThrough = payment.amountMinor > leftMinor && payment.amountMinor <= countedLeftMinor;
  if (version === null || isLetThrough) return overtaken();
  const { reference, reason, note, currency } = instruction;
  const answered = await ask(
    session,
    {
      method: 'POST',
      path: '/v2/refunds',
      json: {
        idempotency_key: keyOf(reference, payment.id),
        payment_id: payment.id,
        amount_money: { amount: payment.amountMinor, currency },
        reason: shortened(marked(reference, reason, note)),
        // Whatever happens to the payment from here on makes the refund fail instead of adding to it.
        payment_version_token: version,
      },
      effect: 'write',
    },
    refundAnswer,
    (words) => (AMBIGUOUS.has(words.code ?? '') ? unclear(words) : undefined),
  );
  if (answered.ok) {
    const made = readRefund(answered.value.refund, { id: payment.id, source_type: source });
    return made.paymentId === payment.id ? ok(made) : unreadable(dialect, 'write');
  }
  return answered.failure.code === 'platform.refused'
    ? refusedOrMade(session, instruction, payment, { refused: answered, version })
    : answered;
}

/** What refused us may be an earlier request of our own that arrived just now. */
async function refusedOrMade(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
  sent: { readonly refused: Refused<PlatformFailureCode>; readonly version: string },
): Promise<Made> {
  const after = await readStanding(session, instruction, payment);
  if (after.ok && after.value.ours) return ok(after.value.ours);
  const { platform } = sent.refused.failure;
  const code = platform?.code ?? '';
  if (code === 'IDEMPOTENCY_KEY_REUSED') {
    return refuse(
      'refund.unclear',
      'Square has had a request for this refund before, and does not show what became of it. Look at the payment there.',
      { platform },
    );
  }
  if (!after.ok) return unclear({ message: platform?.message ?? 'It was refused.', code });
  switch (code) {
    case 'VERSION_MISMATCH':
      // A look that does not show the change would not show our refund either, had that been the change.
      return after.value.version === sent.version ? unclear({ message: BEHIND, code }) : overtaken(platform);
    case 'REFUND_ALREADY_PENDING':
      return after.value.hasPending ? sent.refused : unclear({ message: BEHIND, code });
    default:
      return sent.refused;
  }
}

const BEHIND = 'The payment has changed, and does not show it yet.';

const overtaken = (platform?: Failure['platform']) =>
  refuse(
    'platform.unavailable',
    'The payment changed at Square at the same moment, and nothing was refunded. Look at the order, and refund again.',
    { platform },
  );

const unclear = (words: Words) =>
  refuse('platform.outcome_unknown', 'Square did not say whether the refund was made.', {
    platform: quotePlatform(dialect.name, words.message, words.code),
  });

interface Standing {
  /** The refund that bears our reference. */
  readonly ours: RemoteRefund | null;
  /** What neither has gone back nor is on its way. */
  readonly leftMinor: number;
  /** What has not gone back, by Square's own count. */
  readonly countedLeftMinor: number;
  readonly hasPending: boolean;
  readonly version: string | null;
  readonly source: string | null;
}

/** How a payment stands. What names refunds that Square does not show says nothing about ours. */
async function readStanding(
  session: Session,
  { reference }: RefundInstruction,
  { id }: RefundPayment,
): Answer<Standing> {
  const found = await findPayment(session, id);
  if (!found.ok) return found;
  const payment = found.value;
  if (payment === null) return notShown();
  const ids = payment.refund_ids ?? [];
  const refunds = everyOne(await Promise.all(ids.map((refundId) => findRefund(session, refundId))));
  if (!refunds.ok) return refunds;
  const made = refunds.value.flatMap((refund) => (refund ? [readRefund(refund, payment)] : []));
  const ours = made.find((refund) => refund.reference === reference) ?? null;
  if (ours === null && (made.length < ids.length || refundedOf(undefined, made) < refundedOf(payment, made)))
    return notShown();
  const captured = payment.status === 'COMPLETED' ? (payment.total_money?.amountMinor ?? 0) : 0;
  return ok({
    ours,
    leftMinor: captured - refundedOf(payment, made),
    countedLeftMinor:
      captured -
      refundedOf(
        payment,
        made.filter(({ status }) => status === 'succeeded'),
      ),
    hasPending: made.some(({ status }) => status === 'pending'),
    version: payment.version_token ?? null,
    source: payment.source_type ?? null,
  });
}

const notShown = () =>
  refuse('platform.unavailable', 'Square does not show the payment or one of its refunds at the moment.');

/** The same for every attempt, and within the 45 characters that a key may have. */
const keyOf = (reference: string, paymentId: string): string =>
  createHash('sha256').update(`${reference} ${paymentId}`).digest('base64url');

/** Our reference stands at the beginning, so that what is cut off is never that. */
const shortened = (reason: string): string => reason.slice(0, REASON_MAX).replace(/[\uD800-\uDBFF]$/, '');
