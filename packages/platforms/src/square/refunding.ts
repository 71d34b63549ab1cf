import { createHash } from 'node:crypto';
import {
  ok,
  quotePlatform,
  refuse,
  type Failure,
  type Refusal,
  type Result,
  type RemoteRefund,
  type PlatformFailureCode,
  type RefundInstruction,
  type Refunding,
  type Session,
  type RefundPayment,
} from '@switchboard/platform-kit';
import {
  unreadableResponse,
  type PlatformError,
  type AdapterResult,
} from '@switchboard/platform-kit/platform-client';
import { mapFailureBeforeSend } from '@switchboard/platform-kit/map-failure-before-send';
import { formatReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { combineFoundRefunds, refundEachPayment } from '@switchboard/platform-kit/refund-each-payment';
import { allValues } from './all-values.js';
import { readRefund, refundedOf } from './order-payments.js';
import { findPayment, findRefund } from './read-payments.js';
import { requestJson, errorMapping, refundAnswer } from './wire.js';

type RefundResult = Result<RemoteRefund, PlatformFailureCode | 'refund.unclear'>;

const REASON_MAX = 192;

export const refunding: Refunding = {
  refund: (session, instruction) =>
    refundEachPayment(instruction, (payment) => refundPayment(session, instruction, payment)),

  async find(session, instruction) {
    const found = allValues(
      await Promise.all(
        instruction.payments.map((payment) => readPaymentState(session, instruction, payment)),
      ),
    );
    return found.ok
      ? combineFoundRefunds(
          instruction,
          found.value.flatMap(({ ours }) => ours ?? []),
        )
      : found;
  },
};

/** The error codes that do not determine whether the refund was made. */
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
): Promise<RefundResult> {
  const before = await readPaymentState(session, instruction, payment);
  if (!before.ok) return mapFailureBeforeSend(errorMapping, before);
  const { ours, remainingMinor, countedRemainingMinor, version, source } = before.value;
  if (ours) return ok(ours);
  // The version prevents changes after this read, and Square validates everything but pending refunds.
  const exceedsPending = payment.amountMinor > remainingMinor && payment.amountMinor <= countedRemainingMinor;
  if (version === null || exceedsPending) return paymentChanged();
  const { reference, reason, note, currency } = instruction;
  const response = await requestJson(
    session,
    {
      method: 'POST',
      path: '/v2/refunds',
      json: {
        idempotency_key: keyOf(reference, payment.id),
        payment_id: payment.id,
        amount_money: { amount: payment.amountMinor, currency },
        reason: truncateReason(formatReferenceMarker(reference, reason, note)),
        // Any later change of the payment makes the refund fail instead of adding to it.
        payment_version_token: version,
      },
      effect: 'write',
    },
    refundAnswer,
    (words) => (AMBIGUOUS.has(words.code ?? '') ? outcomeUnknown(words) : undefined),
  );
  if (response.ok) {
    const created = readRefund(response.value.refund, { id: payment.id, source_type: source });
    return created.paymentId === payment.id ? ok(created) : unreadableResponse(errorMapping, 'write');
  }
  return response.failure.code === 'platform.refused'
    ? resolveRefusal(session, instruction, payment, { refused: response, version })
    : response;
}

/** The refusal may be caused by an earlier request of our own that arrived just now. */
async function resolveRefusal(
  session: Session,
  instruction: RefundInstruction,
  payment: RefundPayment,
  sent: { readonly refused: Refusal<PlatformFailureCode>; readonly version: string },
): Promise<RefundResult> {
  const after = await readPaymentState(session, instruction, payment);
  if (after.ok && after.value.ours) return ok(after.value.ours);
  const { platform } = sent.refused.failure;
  const code = platform?.code ?? '';
  if (code === 'IDEMPOTENCY_KEY_REUSED') {
    return refuse(
      'refund.unclear',
      'Square received an earlier request for this refund and does not report its outcome. Check the payment at Square.',
      { platform },
    );
  }
  if (!after.ok) return outcomeUnknown({ message: platform?.message ?? 'It was refused.', code });
  switch (code) {
    case 'VERSION_MISMATCH':
      // If a read does not show the change, it would not show our refund either, had that been the change.
      return after.value.version === sent.version
        ? outcomeUnknown({ message: STALE_READ, code })
        : paymentChanged(platform);
    case 'REFUND_ALREADY_PENDING':
      return after.value.hasPending ? sent.refused : outcomeUnknown({ message: STALE_READ, code });
    default:
      return sent.refused;
  }
}

const STALE_READ = 'The payment has changed but does not show the refund yet.';

const paymentChanged = (platform?: Failure['platform']) =>
  refuse(
    'platform.unavailable',
    'The payment changed at Square at the same time, and nothing was refunded. Check the order, then request the refund again.',
    { platform },
  );

const outcomeUnknown = (words: PlatformError) =>
  refuse('platform.outcome_unknown', 'Square did not report whether the refund was made.', {
    platform: quotePlatform(errorMapping.name, words.message, words.code),
  });

interface PaymentState {
  /** The refund that has our reference. */
  readonly ours: RemoteRefund | null;
  /** The amount neither refunded nor pending. */
  readonly remainingMinor: number;
  /** The amount not refunded, by Square's own count. */
  readonly countedRemainingMinor: number;
  readonly hasPending: boolean;
  readonly version: string | null;
  readonly source: string | null;
}

/** The state of a payment. If it names refunds that Square does not return, it proves nothing about ours. */
async function readPaymentState(
  session: Session,
  { reference }: RefundInstruction,
  { id }: RefundPayment,
): AdapterResult<PaymentState> {
  const found = await findPayment(session, id);
  if (!found.ok) return found;
  const payment = found.value;
  if (payment === null) return notVisible();
  const ids = payment.refund_ids ?? [];
  const refunds = allValues(await Promise.all(ids.map((refundId) => findRefund(session, refundId))));
  if (!refunds.ok) return refunds;
  const created = refunds.value.flatMap((refund) => (refund ? [readRefund(refund, payment)] : []));
  const ours = created.find((refund) => refund.reference === reference) ?? null;
  if (
    ours === null &&
    (created.length < ids.length || refundedOf(undefined, created) < refundedOf(payment, created))
  )
    return notVisible();
  const captured = payment.status === 'COMPLETED' ? (payment.total_money?.amountMinor ?? 0) : 0;
  return ok({
    ours,
    remainingMinor: captured - refundedOf(payment, created),
    countedRemainingMinor:
      captured -
      refundedOf(
        payment,
        created.filter(({ status }) => status === 'succeeded'),
      ),
    hasPending: created.some(({ status }) => status === 'pending'),
    version: payment.version_token ?? null,
    source: payment.source_type ?? null,
  });
}

const notVisible = () =>
  refuse('platform.unavailable', 'Square does not currently return the payment or one of its refunds.');

/** The same for every attempt, and within the 45 characters of a key. */
const keyOf = (reference: string, paymentId: string): string =>
  createHash('sha256').update(`${reference} ${paymentId}`).digest('base64url');

/** Our reference is at the beginning, so that it is never truncated. */
const truncateReason = (reason: string): string =>
  reason.slice(0, REASON_MAX).replace(/[\uD800-\uDBFF]$/, '');
