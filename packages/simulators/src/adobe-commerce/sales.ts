/** An amount in the currency that the shopper saw, and in the base currency, in which the store is paid. */
export type BothCurrencies<Name extends string> = Record<Name | `base_${Name}`, number>;

/** The prefix of a field name: empty, or that of the base currency. */
export type CurrencyPrefix = '' | 'base_';
export const BOTH: readonly CurrencyPrefix[] = ['', 'base_'];

/** The amounts of an item that are zero until an invoice or a credit memo sets them. */
export const UNSET_ITEM_AMOUNTS = [
  ...(['row_invoiced', 'amount_refunded', 'tax_invoiced', 'tax_refunded'] as const),
  ...(['discount_invoiced', 'discount_refunded', 'fixed_tax_refunded'] as const),
] as const;

export type SalesItem = BothCurrencies<
  | 'price'
  | 'price_incl_tax'
  | 'row_total'
  | 'row_total_incl_tax'
  | 'tax_amount'
  | 'discount_amount'
  | 'fixed_tax'
  | (typeof UNSET_ITEM_AMOUNTS)[number]
> & {
  readonly item_id: number;
  readonly order_id: number;
  readonly parent_item_id: number | null;
  readonly product_id: number;
  readonly product_type: string;
  readonly sku: string;
  readonly name: string;
  readonly is_virtual: 0 | 1;
  readonly is_qty_decimal: 0 | 1;
  readonly qty_ordered: number;
  readonly created_at: string;
  qty_invoiced: number;
  qty_refunded: number;
  qty_canceled: number;
  qty_shipped: number;
  /** Only some items of a parent and its children are counted; the others are for display. Not a column. */
  readonly dummy: boolean;
};

export interface SalesAddress {
  readonly address_type: 'billing' | 'shipping';
  readonly firstname: string;
  readonly lastname: string;
  readonly street: readonly string[];
  readonly city: string;
  readonly region: string;
  readonly postcode: string;
  readonly country_id: string;
  readonly email: string;
  readonly telephone: string;
}

type SalesPayment = BothCurrencies<
  'amount_ordered' | 'amount_authorized' | 'amount_paid' | 'amount_refunded'
> & {
  readonly entity_id: number;
  readonly parent_id: number;
  readonly method: string;
  readonly additional_information: readonly string[];
  readonly last_trans_id: string | null;
  base_amount_refunded_online: number;
};

/** The amounts of an order that are zero until an invoice or a credit memo sets them. */
export const UNSET_ORDER_AMOUNTS = [
  ...(['total_invoiced', 'total_paid', 'total_refunded'] as const),
  ...(['total_online_refunded', 'total_offline_refunded'] as const),
  ...(['shipping_refunded', 'shipping_tax_refunded', 'tax_invoiced', 'tax_refunded'] as const),
  ...(['subtotal_refunded', 'discount_refunded', 'adjustment_positive', 'adjustment_negative'] as const),
] as const;

export type SalesOrder = BothCurrencies<
  | 'grand_total'
  | 'subtotal'
  | 'subtotal_incl_tax'
  | 'discount_amount'
  | 'shipping_amount'
  | 'shipping_incl_tax'
  | 'shipping_tax_amount'
  | 'shipping_discount_amount'
  | 'tax_amount'
  | 'total_due'
  | (typeof UNSET_ORDER_AMOUNTS)[number]
> & {
  readonly entity_id: number;
  readonly increment_id: string;
  readonly store_id: number;
  readonly base_currency_code: string;
  readonly order_currency_code: string;
  readonly base_to_order_rate: number;
  readonly customer_email: string;
  readonly customer_firstname: string | null;
  readonly customer_lastname: string | null;
  readonly customer_id: number | null;
  readonly customer_is_guest: 0 | 1;
  readonly customer_note: string | null;
  readonly is_virtual: 0 | 1;
  readonly shipping_description: string | null;
  readonly created_at: string;
  updated_at: string;
  state: string;
  status: string;
  readonly items: readonly SalesItem[];
  readonly payment: SalesPayment;
  readonly billing_address: SalesAddress;
  readonly shipping_address: SalesAddress | null;
  /** Not columns: fields of Adobe Commerce that Magento Open Source lacks. */
  readonly extras: OrderExtras;
};

/** In the base currency. */
export interface OrderExtras {
  /** Paid by other means than the payment method, so the totals are lower by this amount. */
  readonly credit: OrderCredit | null;
  readonly wrapping: number;
  readonly fee: number;
  wrappingRefunded: number;
}

export interface OrderCredit {
  readonly kind: 'gift_cards' | 'customer_balance' | 'reward_currency';
  readonly amount: number;
  refunded: number;
}

export type SalesInvoice = BothCurrencies<
  'grand_total' | 'subtotal' | 'shipping_amount' | 'shipping_tax_amount' | 'tax_amount' | 'discount_amount'
> & {
  readonly entity_id: number;
  readonly order_id: number;
  readonly increment_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly total_qty: number;
  /** 1 open, 2 paid, 3 canceled. */
  readonly state: 1 | 2 | 3;
  readonly transaction_id: string | null;
  readonly items: readonly DocumentItem[];
  base_total_refunded: number;
  is_used_for_refund: 0 | 1;
};

/** The part of an order item on an invoice or a credit memo. */
export type DocumentItem = BothCurrencies<'row_total' | 'tax_amount' | 'discount_amount'> & {
  readonly entity_id: number;
  readonly parent_id: number;
  readonly order_item_id: number;
  readonly sku: string;
  readonly name: string;
  readonly qty: number;
  readonly base_cost: number;
  readonly base_price: number;
};

/** The amounts of a document's item, each in the shown and in the base currency. */
interface ItemAmounts {
  readonly row: readonly number[];
  readonly tax: readonly number[];
  readonly discount: readonly number[];
}

export const documentItem = (
  { id, parentId }: { readonly id: number; readonly parentId: number },
  { item_id, sku, name, base_price }: SalesItem,
  qty: number,
  { row, tax, discount }: ItemAmounts = { row: [], tax: [], discount: [] },
): DocumentItem => ({
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

export type MemoTotals = BothCurrencies<
  | 'grand_total'
  | 'subtotal'
  | 'discount_amount'
  | 'shipping_amount'
  | 'shipping_tax_amount'
  | 'tax_amount'
  | 'adjustment'
  | 'adjustment_positive'
  | 'adjustment_negative'
>;

export type SalesMemo = MemoTotals & {
  readonly entity_id: number;
  readonly order_id: number;
  readonly invoice_id: number | null;
  readonly increment_id: string;
  readonly base_currency_code: string;
  readonly order_currency_code: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly transaction_id: string | null;
  /** 1 open, 2 refunded, 3 canceled. */
  state: 1 | 2 | 3;
  readonly items: readonly DocumentItem[];
  readonly comments: readonly MemoComment[];
};

export interface MemoComment {
  readonly entity_id: number;
  readonly parent_id: number;
  readonly comment: string;
  readonly is_customer_notified: 0 | 1;
  readonly is_visible_on_front: 0 | 1;
  readonly created_at: string;
}

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
