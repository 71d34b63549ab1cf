import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { withReconnectStep } from '../connections/needs-reauth.js';
import { formatAmount } from '../money.js';
import {
  readOrder,
  type OrderContext,
  type ReadOrderFailure,
  type ReadOrderPorts,
} from '../orders/read-order.js';
import type { RemoteOrder } from '../orders/order.js';
import type { Ports } from '../ports/index.js';
import type { PlatformFailureCode } from '../ports/session.js';
import { ok, type Result } from '../result.js';
import { parseRefundAmount, parseExtent, type ExtentFailure, type RefundFields } from './extent.js';
import {
  withCalculatedAmounts,
  measureRefund,
  planRefund,
  type MeasuredRefund,
  type PlanFailure,
  type RefundPlan,
} from './plan-refund.js';
import { findOrderAccount, applyOrderAccount } from './order-account.js';
import { refuseInFlight } from './refuse-in-flight.js';
import { withNextStep } from './with-next-step.js';

interface PlannedRefund {
  /** The order as the store returns it. */
  readonly reading: OrderContext;
  /** The order corrected by the ledger, on which the plan is based. */
  readonly order: RemoteOrder;
  readonly plan: RefundPlan;
}

export type PlanRefundFailure =
  | ReadOrderFailure
  | ExtentFailure
  | PlanFailure
  | 'refund.in_doubt'
  | 'refund.in_progress'
  | 'refund.refundable_changed';

/**
 * Reads the order live and validates the request against the remainder according to the order and the ledger.
 * Nothing is stored and nothing moves.
 */
export async function planRefundOfOrder(
  ports: ReadOrderPorts & Pick<Ports, 'refunds'>,
  call: Call,
  orderId: string,
  fields: RefundFields,
): Promise<Result<PlannedRefund, PlanRefundFailure>> {
  const reading = await readOrder(ports, call, orderId);
  if (!reading.ok) return reading;
  const request = {
    orderId,
    platform: reading.value.platform.manifest.id,
    byAmount: fields.amount !== undefined,
  };
  const account = await findOrderAccount(ports, reading.value);
  const free = await refuseInFlight(ports, call, orderId, account?.entry.inFlight ?? null);
  if (!free.ok) return free;
  const known = { ...reading.value, order: applyOrderAccount(reading.value.order, account) };
  const plan = withNextStep(await computePlan(known, fields), request);
  return plan.ok ? ok({ reading: reading.value, order: known.order, plan: plan.value }) : plan;
}

async function computePlan(
  reading: OrderContext,
  fields: RefundFields,
): Promise<Result<RefundPlan, PlanRefundFailure>> {
  const { order, platform } = reading;
  const facts = platform.manifest.refunds;
  if (!facts || !platform.refunds)
    return refuse('refund.unsupported_option', 'This store does not support refunds through this service.');

  const extent = parseExtent(fields, order.currency);
  if (!extent.ok) return extent;
  const expected = parseExpected(fields, order.currency);
  if (!expected.ok) return expected;
  const { refundable } = order.totals;
  if (expected.value !== null && expected.value !== refundable.amountMinor) {
    return refuse(
      'refund.refundable_changed',
      'The refundable amount differs from expected_refundable. Read the order again.',
      {
        details: { refundable: { amount: formatAmount(refundable), currency: refundable.currency } },
      },
    );
  }
  if (fields.notifyCustomer !== undefined && !facts.notifyCustomer) {
    return refuse(
      'refund.unsupported_option',
      'This store itself decides whether to notify the customer. Omit `notify_customer`.',
    );
  }
  const measured = measureRefund(order, facts, extent.value);
  if (!measured.ok) return measured;
  const calculated = await calculate(reading, measured.value);
  if (!calculated.ok) return calculated;
  const { paymentId = null, allowOffline = false } = fields;
  return planRefund(order, facts, calculated.value, { paymentId, allowOffline });
}

/** The store's own calculation of the lines takes precedence, where it has one. */
async function calculate(
  { platform, session, order, connection }: OrderContext,
  measured: MeasuredRefund,
): Promise<Result<MeasuredRefund, PlatformFailureCode>> {
  const { refunds } = platform;
  if (!refunds?.calculate || measured.extent.kind !== 'lines') return ok(measured);
  const calculated = await refunds.calculate(session, order, measured.extent);
  return calculated.ok
    ? ok(withCalculatedAmounts(measured, calculated.value))
    : withReconnectStep(connection, calculated);
}

/** Zero is a valid expected amount, although nothing can be refunded then. */
function parseExpected(
  { expectedRefundable }: RefundFields,
  currency: string,
): Result<number | null, ExtentFailure> {
  if (expectedRefundable === undefined) return ok(null);
  const text = typeof expectedRefundable === 'string' ? expectedRefundable : expectedRefundable.amount;
  if (/^0(\.0+)?$/.test(text)) return ok(0);
  return parseRefundAmount('expected_refundable', expectedRefundable, currency);
}
