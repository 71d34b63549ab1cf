import {
  formatAmount,
  money,
  type OrderLine,
  type RemoteOrder,
  type RefundInstruction,
} from '@switchboard/platform-kit';
import { parseExact } from '@switchboard/platform-kit/exact-amount';
import { apportion } from './apportion.js';
import { isWhole } from './read-order.js';
import type { WireItem, WireOrder } from './wire.js';

/** An item of a refund in the store's format: taxes by the ID of their rate, everything else without tax. */
export interface RefundItem {
  readonly id: number;
  readonly quantity?: number;
  readonly refund_total: number;
  readonly refund_tax: readonly { readonly id: number; readonly refund_total: number }[];
}

/**
 * The lines and shipping of an instruction, each with its taxes, which sum up to the plan exactly. If that
 * exceeds the amount, since money was refunded before without lines, only the quantities are sent.
 */
export function refundItems(
  wire: WireOrder,
  order: RemoteOrder,
  instruction: RefundInstruction,
): readonly RefundItem[] {
  const { kind, lines, shippingMinor, amountMinor, currency } = instruction;
  const requested = (kind === 'amount' ? lines.filter(({ restock }) => restock) : lines).flatMap(
    ({ id, quantity }) => {
      const line = order.lines.find((one) => one.id === id);
      const item = wire.line_items.find((one) => one.id === id);
      if (!line || !item) return [];
      const minor = kind === 'amount' ? 0 : lineWorthMinor(line, quantity);
      return [{ item, quantity: isWhole(item) ? quantity : item.quantity, minor }];
    },
  );
  const shipping = kind === 'amount' ? [] : shippingOf(wire, order, shippingMinor);
  const all = [...requested, ...shipping].reduce((sum, { minor }) => sum + minor, 0);
  return all <= amountMinor
    ? [
        ...requested.map(({ item, quantity, minor }) => ({ ...splitTaxes(item, minor, currency), quantity })),
        ...shipping.map(({ item, minor }) => splitTaxes(item, minor, currency)),
      ]
    : requested.map(({ item, quantity }) => ({ ...splitTaxes(item, 0, currency), quantity }));
}

/**
 * As planned: counted from the units refunded before, so that unit by unit they sum up to the line's total.
 */
function lineWorthMinor(line: OrderLine, quantity: number): number {
  const before = line.quantity - line.refundableQuantity;
  const upTo = (units: number) =>
    Number((BigInt(line.total.amountMinor) * BigInt(units)) / BigInt(line.quantity));
  return upTo(before + quantity) - upTo(before);
}

/** From one shipping line after the other, the remainder of each. */
function shippingOf(
  wire: WireOrder,
  order: RemoteOrder,
  shippingMinor: number,
): readonly { readonly item: WireItem; readonly minor: number }[] {
  let rest = shippingMinor;
  return order.shippingLines.flatMap(({ id, refundable }) => {
    const minor = Math.min(rest, refundable.amountMinor);
    const item = wire.shipping_lines.find((one) => one.id === id);
    if (minor === 0 || !item) return [];
    rest -= minor;
    return [{ item, minor }];
  });
}

function splitTaxes(item: WireItem, minor: number, currency: string): RefundItem {
  const taxes = item.taxes ?? [];
  const [own = 0, ...ofTaxes] = apportion(minor, [
    parseExact(item.total),
    ...taxes.map(({ total }) => parseExact(total)),
  ]);
  const written = (amountMinor: number) => Number(formatAmount(money(amountMinor, currency)));
  return {
    id: Number(item.id),
    refund_total: written(own),
    refund_tax: taxes.map(({ id }, at) => ({ id: Number(id), refund_total: written(ofTaxes[at] ?? 0) })),
  };
}
