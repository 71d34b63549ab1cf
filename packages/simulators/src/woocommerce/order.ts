import type { WooOrder } from './seeded-orders.js';

/** Amounts are stored in ten-thousandths, as a shop's database keeps more decimals than the currency has. */
export const PLACES = 4;

/** The payment methods of the shop. */
export const GATEWAYS = [
  { id: 'stripe', title: 'Card', supports: ['products', 'refunds'] },
  { id: 'bacs', title: 'Direct bank transfer', supports: ['products'] },
];

interface WooTax {
  readonly rateId: number;
  readonly total: number;
}

/** The parts of an order. Totals are without tax. */
export interface WooItem {
  readonly id: number;
  readonly kind: 'line_items' | 'shipping_lines' | 'fee_lines';
  readonly name: string;
  readonly sku: string;
  readonly quantity: number;
  readonly subtotal: number;
  readonly total: number;
  readonly taxes: readonly WooTax[];
}

export interface WooRefundItem {
  readonly of: WooItem;
  readonly quantity: number;
  readonly total: number;
  readonly taxes: readonly WooTax[];
}

export interface WooRefund {
  readonly id: number;
  readonly orderId: number;
  /** Null: not given. */
  readonly amount: number | null;
  readonly reason: string;
  readonly refundedPayment: boolean;
  readonly items: readonly WooRefundItem[];
  readonly meta: readonly { readonly key: string; readonly value: unknown }[];
  readonly createdAt: Date;
}

export const withTaxes = ({ total, taxes }: Pick<WooItem, 'total' | 'taxes'>): number =>
  taxes.reduce((sum, tax) => sum + tax.total, total);

export const totalOf = ({ items }: { readonly items: readonly WooItem[] }): number =>
  items.reduce((sum, item) => sum + withTaxes(item), 0);

export const refundedOf = ({ refunds, decimals }: Pick<WooOrder, 'refunds' | 'decimals'>): number =>
  refunds.reduce((sum, { amount }) => sum + rounded(amount ?? 0, decimals), 0);

/** Rounds to this many decimals, half away from zero. */
function rounded(amount: number, decimals: number): number {
  const unit = 10 ** (PLACES - Math.min(decimals, PLACES));
  return Math.sign(amount) * Math.round(Math.abs(amount) / unit) * unit;
}

/** The format of `wc_format_decimal`. */
export function decimalOf(amount: number, decimals: number): string {
  const exact = BigInt(rounded(amount, decimals));
  const digits = (exact < 0n ? -exact : exact).toString().padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).padEnd(decimals, '0').slice(0, decimals);
  return `${exact < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${decimals > 0 ? `.${fraction}` : ''}`;
}
