import { createHash } from 'node:crypto';
import {
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type RefundInstruction,
  type RefundPayment,
  type Refunding,
  type Refused,
  type RemoteRefund,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { Words } from '../kit/answers.js';
import { marked } from '../kit/mark.js';
import { foundAsOne, refundEach } from '../kit/refund-each.js';
import { ask } from './ask.js';
import { everyOne } from './every-one.js';
import { readRefund } from './read-paid.js';
import { findPayment, findRefund } from './read-payments.js';
import { dialect, refundAnswer } from './wire.js';

type Made = Result<RemoteRefund, PlatformFailureCode>;

const REASON_MAX = 192;

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEach(instruction, (payment) => refundPayment(session, instruction, payment)),

  async find(session, instruction) {
    const found = everyOne(
      await Promise.all(instruction.payments.map((payment) => findOurs(session, instruction, payment))),
    );
    return found.ok
      ? foundAsOne(
          instruction,
          found.value.flatMap((refund) => refund ?? []),
        )
      : found;
  },
};

/** The codes of an answer that does not say whether the refund was made. Of a key that was used before, it most likely was. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'IDEMPOTENCY_KEY_REUSED',
  'CONFLICT',
  'REQUEST_TIMEOUT',
  'TEMPORARY_ERROR',
  'INTERNAL_SERVER_ERROR',
  'BAD_GATEWAY',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
]);
/** The codes of a request that came too late: the payment is not any more as it was read. */
const OVERTAKEN: ReadonlySet<string> = new Set(['VERSION_MISMATCH', 'REFUND_ALREADY_PENDING']);

async function refundPayment(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
): Promise<Made> {
  const before = await findPayment(session, payment.id);
  if (!before.ok) return before;
  const { reference, reason, note, currency } = instruction;
  const version = before.value?.version_token;
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
        ...(version && { payment_version_token: version }),
      },
      effect: 'write',
    },
    refundAnswer,
    (words) => (AMBIGUOUS.has(words.code ?? '') ? unclear(words) : undefined),
  );
  if (answered.ok) return ok(readRefund(answered.value.refund));
  return OVERTAKEN.has(answered.failure.platform?.code ?? '')
    ? overtaken(session, instruction, payment, answered)
    : answered;
}

/** What overtook us may have been an earlier request of our own. Somebody else's refund means that ours begins anew. */
async function overtaken(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
  refused: Refused<PlatformFailureCode>,
): Promise<Made> {
  const ours = await findOurs(session, instruction, payment);
  if (!ours.ok) return unclear({ message: 'The payment has changed.' });
  if (ours.value) return ok(ours.value);
  const { platform } = refused.failure;
  if (platform?.code !== 'VERSION_MISMATCH') return refused;
  return refuse(
    'platform.unavailable',
    'The payment changed at Square at the same moment, and nothing was refunded. Look at the order, and refund again.',
    { platform },
  );
}

const unclear = (words: Words) =>
  refuse('platform.outcome_unknown', 'Square did not say whether the refund was made.', {
    platform: quotePlatform(dialect.name, words.message, words.code),
  });

/** The refund of this payment that bears our reference; null when there is none. */
async function findOurs(
  session: Session,
  { reference }: RefundInstruction,
  { id }: RefundPayment,
): Promise<Result<RemoteRefund | null, PlatformFailureCode>> {
  const payment = await findPayment(session, id);
  if (!payment.ok) return payment;
  const ids = payment.value?.refund_ids ?? [];
  const refunds = everyOne(await Promise.all(ids.map((refundId) => findRefund(session, refundId))));
  if (!refunds.ok) return refunds;
  const read = refunds.value.flatMap((refund) => (refund ? [readRefund(refund)] : []));
  return ok(read.find((refund) => refund.reference === reference) ?? null);
}

/** The same for every attempt, and within the 45 characters that a key may have. */
const keyOf = (reference: string, paymentId: string): string =>
  createHash('sha256').update(`${reference} ${paymentId}`).digest('base64url');

/** Our reference stands at the beginning, so that what is cut off is never that. */
const shortened = (reason: string): string => reason.slice(0, REASON_MAX).replace(/[\uD800-\uDBFF]$/, '');
