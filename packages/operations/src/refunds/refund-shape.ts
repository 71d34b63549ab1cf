import type { Call } from '@switchboard/domain';
import { redactRefundForCaller } from '@switchboard/domain/orders';
import {
  getRefund,
  isRefundSettled,
  orderIdOf,
  refundStatuses,
  type Refund,
} from '@switchboard/domain/refunds';
import { describePauseScope } from '@switchboard/domain/pauses';
import { z } from 'zod';
import { approvalStateShape, presentApprovalState } from '../approvals/approval-shape.js';
import type { SettlingPolicy } from '../define.js';
import { heldBy } from '../pauses/pause-shape.js';
import { errorShape, presentError } from '../pipeline/error-shape.js';
import {
  components,
  amount,
  currency,
  id,
  inputKinds,
  moneyMovedShape,
  moneyShape,
  presentMoney,
  time,
} from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

export const refundStatus = z.enum(refundStatuses);

const paymentShape = z
  .object({ id: z.string(), amount: moneyShape, money_moved: moneyMovedShape })
  .register(components, { id: 'RefundPayment' });

export const refundShape = z.object({
  id: z.string(),
  order_id: z.string(),
  connection_id: z.string(),
  status: refundStatus,
  amount: moneyShape,
  line_items: z.array(
    z.object({
      id: z.string(),
      quantity: z.int(),
      restock: z.boolean(),
      location_id: z.string().nullable(),
    }),
  ),
  payments: z.array(paymentShape),
  reason: z.string().nullable(),
  note: z.string().nullable(),
  money_moved: moneyMovedShape,
  external_id: z.string().nullable(),
  source: z.enum(['switchboard', 'store']),
  error: errorShape.nullable(),
  approval: approvalStateShape.nullable().describe('The request for a person’s approval.'),
  held_by: heldBy.nullable().describe('What is paused and holds it.'),
  created_at: time,
  settled_at: time.nullable(),
});
refundShape.register(components, { id: 'Refund' });

const amountForms = 'a decimal number as text, such as "12.34", or {"amount": "12.34", "currency": "EUR"}';

const amountOfCurrency = z.strictObject({ amount, currency }).register(components, { id: 'MoneyInput' });
/** An amount as text uses the currency of the order; an amount with a currency must match it. */
const amountInput = z.union([amount, amountOfCurrency], { error: amountForms });

/** The fields that define the amount and method of a refund, shared by quotes and refunds. */
export const refundFields = {
  full: z.boolean().describe('Refund all that remains.').optional(),
  amount: amountInput.describe('Such as "12.34".').optional(),
  line_items: z
    .array(
      z
        .strictObject({
          id: z.string().min(1).max(200),
          quantity: z.int().min(1).max(100_000),
          restock: z.boolean().optional(),
          location_id: z.string().max(200).optional(),
        })
        .register(components, { id: 'RefundLineInput' }),
    )
    .min(1)
    .max(200)
    .describe('Lines of the order by id.')
    .register(inputKinds, { kind: 'selection' })
    .optional(),
  shipping: z
    .union([z.literal('full'), amount, amountOfCurrency], {
      error: `"full", or ${amountForms}`,
    })
    .describe('"full", or an amount.')
    .optional(),
  lines_are: z.literal('restock_only').describe('With an amount: line_items are only restocked.').optional(),
  payment_id: z.string().min(1).max(200).describe('Payment to refund through.').optional(),
  reason: z.string().min(1).max(500).describe('Stored with the refund.').optional(),
  note: z.string().min(1).max(2000).describe('For the store’s staff.').optional(),
  notify_customer: z.boolean().describe('Default: the store’s own setting.').optional(),
  expected_refundable: amountInput.describe('Rejected when the refundable amount differs.').optional(),
  allow_offline: z
    .boolean()
    .describe('Record only, where the store cannot return the money; you return it.')
    .optional(),
};

export const refundId = id('rfd_01kah3v5w8e2m6r9t0x4y7z1ab');

export function presentRefund(
  stored: Refund,
  { call }: { readonly call: Call },
): z.input<typeof refundShape> {
  return presentVisibleRefund(redactRefundForCaller(call, stored));
}

const presentVisibleRefund = (refund: Refund): z.input<typeof refundShape> => ({
  ...toWireFormat(refund),
  order_id: orderIdOf(refund),
  line_items: toWireFormat(refund.extent.lines),
  payments: refund.payments.map((payment) => ({
    id: payment.id,
    amount: presentMoney({ amountMinor: payment.amountMinor, currency: refund.amount.currency }),
    money_moved: refund.moneyMoved && payment.moneyMoved,
  })),
  error: refund.error && presentError(refund.error),
  approval: presentApprovalState(refund.approval),
});

/** Waiting until the store has settled a refund. */
export const refundSettling = {
  // A wait for a person, which only the caller can request, ends with the decision.
  isSettled: (refund, _now, { initial, isRequested }) =>
    initial.status === 'awaiting_approval'
      ? !isRequested || refund.status !== 'awaiting_approval'
      : isRefundSettled(refund) || refund.heldBy !== null,
  readAgain: (ports, call, { id }) => getRefund(ports, call, { refundId: id }),
  progress: (refund) =>
    refund.status === 'awaiting_approval'
      ? { done: 0, total: 1, message: 'Waiting for a person’s approval.' }
      : isRefundSettled(refund)
        ? { done: 1, total: 1, message: 'The refund has settled.' }
        : { done: 0, total: 1, message: 'Waiting for the store to settle the refund.' },
  mcpWaitSeconds: 0,
} as const satisfies SettlingPolicy<Refund>;

export function refundSentence({
  id,
  status,
  error,
  approval,
  held_by,
  amount: { amount: text, currency: code },
}: z.output<typeof refundShape>): string {
  const sum = `${text} ${code}`;
  switch (status) {
    case 'succeeded':
      return `Refunded ${sum} (${id}).`;
    case 'pending':
      if (held_by)
        return `Refunding is paused for ${describePauseScope(held_by)}, which holds the refund of ${sum} (${id}): its money is reserved, and it is sent when that is resumed. Do not refund again; list_attention states the reason.`;
      return `The refund of ${sum} is in progress (${id}). Do not refund again; check with list_refunds.`;
    case 'unknown':
    case 'needs_review':
      return `The outcome of the refund of ${sum} is unknown (${id}). Do not refund again.`;
    case 'awaiting_approval':
      return `A person has to approve the refund of ${sum} (${id}), until ${approval?.expires_at ?? 'its request ends'}. No money moved yet; do not refund again. list_refunds returns the decision.`;
    case 'failed':
      if (error?.code === 'approval.rejected')
        return `A person rejected the refund of ${sum}, and no money moved (${id}). approval.note gives the reason.`;
      if (error?.code === 'approval.expired')
        return `No person decided about the refund of ${sum} in time, and no money moved (${id}).`;
      return `The refund of ${sum} failed and moved no money (${id}).`;
  }
}

export const exampleRefund: z.input<typeof refundShape> = {
  id: 'rfd_01kah3v5w8e2m6r9t0x4y7z1ab',
  order_id: 'ord_AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr',
  connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
  status: 'succeeded',
  amount: { amount: '12.34', currency: 'EUR' },
  line_items: [],
  payments: [{ id: 'pay_1', amount: { amount: '12.34', currency: 'EUR' }, money_moved: true }],
  reason: 'damaged',
  note: null,
  money_moved: true,
  external_id: 're_1',
  source: 'switchboard',
  error: null,
  approval: null,
  held_by: null,
  created_at: '2026-11-21T09:00:00.000Z',
  settled_at: '2026-11-21T09:00:01.000Z',
};

export const refundFailures = [
  'refund.extent_required',
  'refund.extent_conflict',
  'refund.currency_mismatch',
  'refund.unsupported_option',
  'refund.exceeds_refundable',
  'refund.offline_only',
  'refund.refundable_changed',
  'refund.in_doubt',
  'refund.in_progress',
] as const;
