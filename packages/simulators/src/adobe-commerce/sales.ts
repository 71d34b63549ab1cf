/** An amount in the currency that the shopper saw, and in the base currency, in which the store is paid. */
export type BothCurrencies<Name extends string> = Record<Name | `base_${Name}`, number>;

/** The prefix of a field name: empty, or that of the base currency. */
export type CurrencyPrefix = '' | 'base_';
export const BOTH: readonly CurrencyPrefix[] = ['', 'base_'];

interface OrderItem {
  readonly item_id: number;
  readonly sku: string;
  readonly name: string;
  readonly base_price: number;
}

/**
 * The part of an order item on an invoice or a credit memo, with its amounts in the shown and in the base
 * currency.
 */
export const documentItem = (
  { id, parentId }: { readonly id: number; readonly parentId: number },
  { item_id, sku, name, base_price }: OrderItem,
  qty: number,
  { row, tax, discount }: Readonly<Record<'row' | 'tax' | 'discount', readonly number[]>>,
) => ({
  entity_id: id,
  parent_id: parentId,
  order_item_id: item_id,
  sku,
  name,
  qty,
  base_cost: 0,
  base_price,
  row_total: row[0] ?? 0,
  base_row_total: row[1] ?? 0,
  tax_amount: tax[0] ?? 0,
  base_tax_amount: tax[1] ?? 0,
  discount_amount: discount[0] ?? 0,
  base_discount_amount: discount[1] ?? 0,
});

/** Money that the store cannot send back: the operator refunds it manually. */
export const OFFLINE_METHODS: ReadonlySet<string> = new Set([
  'banktransfer',
  'cashondelivery',
  'checkmo',
  'free',
  'purchaseorder',
]);

/**
 * Rounds to hundredths in every currency, half away from zero, with PHP's pre-rounding of binary fractions.
 */
export function round(amount: number): number {
  const hundredths = Math.round(Number((Math.abs(amount) * 100).toPrecision(14)));
  return hundredths === 0 ? 0 : (Math.sign(amount) * hundredths) / 100;
}
