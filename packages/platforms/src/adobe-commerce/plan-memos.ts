import { ok, refuse, type Result } from '@switchboard/domain';
import type { RefundInstruction } from '@switchboard/domain/ports';
import type { RefundLine, RefundPayment } from '@switchboard/domain/refunds';
import { countedItems } from './counted-items.js';
import type { OrderDocuments } from './documents.js';
import { minOf, type ExactAmount } from '../kit/exact-amount.js';
import { fromMinor, isWholeHundredths, unitsOf } from './exact.js';
import { memoShipping } from './memo-shipping.js';
import { availableOn, type MemoSource } from './memo-total.js';
import { sourcesOf } from './payment-sources.js';
import { FIXED_TAXES, hasFixedTaxes, hasUnreportedTotals, UNREPORTED_TOTALS } from './unreported-totals.js';

/** The contents of the credit memo of one payment. */
export interface MemoPlan {
  readonly payment: RefundPayment;
  readonly units: ReadonlyMap<string, ExactAmount>;
  readonly restock: readonly string[];
  readonly shippingMinor: number;
}

/** The document that a payment is refunded on: its invoice, or the order if no money is sent. */
export const sourceOf = (documents: OrderDocuments, { id, moneyMoved }: RefundPayment): MemoSource | null => {
  if (!moneyMoved) return { ...documents, invoice: null };
  const invoice = sourcesOf(documents).online.find(({ entity_id }) => entity_id === id);
  return invoice ? { ...documents, invoice } : null;
};

/**
 * Assigns every line to the credit memo of an invoice that has it, and shipping to one that can have it as
 * shipping.
 */
export function planMemos(
  documents: OrderDocuments,
  instruction: RefundInstruction,
): Result<readonly MemoPlan[], 'refund.refused'> {
  const { payments, shippingMinor, currency, kind } = instruction;
  if (hasUnreportedTotals(documents.order)) return refusedRefund(UNREPORTED_TOTALS);
  if (currency !== documents.order.base_currency_code)
    return refusedRefund('The order is in another currency.');
  if (payments.some(({ amountMinor }) => !isWholeHundredths(fromMinor(amountMinor, currency)))) {
    return refusedRefund('Magento refunds in hundredths of the currency. Round the amount to two decimals.');
  }
  const isWithoutUnits = hasFixedTaxes(documents.order);
  if (isWithoutUnits && instruction.lines.some(({ restock }) => kind !== 'full' || restock)) {
    return refusedRefund(FIXED_TAXES);
  }
  const lines = isWithoutUnits ? [] : instruction.lines;
  const sources = payments.map((payment) => sourceOf(documents, payment));
  if (!sources.every((source) => source !== null))
    return refusedRefund('The order has no such refundable payment.');
  const placed = placeLines(sources, lines);
  // For a full refund only the money matters; a named line has to be on the credit memo.
  if (placed.rest.size > 0 && kind !== 'full') {
    return refusedRefund(
      'These lines belong to a different invoice than the payment. Pass that payment as `payment_id`.',
    );
  }
  const withShipping = sources.findIndex((source) => memoShipping(source, shippingMinor).amount > 0n);
  return ok(
    payments.map((payment, at) => {
      const units = placed.units[at] ?? new Map<string, ExactAmount>();
      const restock = lines.filter(({ id, restock: requested }) => requested && units.has(id));
      return {
        payment,
        units,
        restock: restock.map(({ id }) => id),
        shippingMinor: at === Math.max(0, withShipping) ? shippingMinor : 0,
      };
    }),
  );
}

/** The units of each line on each document, and those on none of them. */
export function placeLines(
  sources: readonly MemoSource[],
  lines: readonly Pick<RefundLine, 'id' | 'quantity'>[],
): { readonly units: readonly Map<string, ExactAmount>[]; readonly rest: ReadonlyMap<string, ExactAmount> } {
  const rest = new Map(lines.map(({ id, quantity }) => [id, unitsOf(quantity)]));
  const units = sources.map((source) => {
    const here = new Map<string, ExactAmount>();
    for (const item of countedItems(source.order.items)) {
      const requested = rest.get(item.item_id) ?? 0n;
      const accepted = minOf(requested, availableOn(source, item));
      if (accepted <= 0n) continue;
      here.set(item.item_id, accepted);
      if (accepted === requested) rest.delete(item.item_id);
      else rest.set(item.item_id, requested - accepted);
    }
    return here;
  });
  return { units, rest };
}

const refusedRefund = (reason: string) => refuse('refund.refused', reason);
