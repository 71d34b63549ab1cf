import {
  BOTH,
  documentItem,
  OFFLINE_METHODS,
  round,
  type BothCurrencies,
  type CurrencyPrefix,
} from './sales.js';

interface SeedLine {
  readonly sku: string;
  readonly price: number;
  readonly qty: number;
  readonly type?: 'simple' | 'virtual' | 'configurable' | 'bundle';
  readonly decimal?: boolean;
  /** Per unit. */
  readonly fixedTax?: number;
  /** The children of a parent. When they have prices, these count instead of the parent's. */
  readonly children?: readonly { readonly sku: string; readonly price: number }[];
}

/** A compact description of an order, with the quantity of each line per invoice. */
export interface OrderSeed {
  readonly method?: string;
  readonly lines?: readonly SeedLine[];
  readonly base?: string;
  readonly shown?: string;
  readonly rate?: number;
  readonly taxPercent?: number;
  readonly shippingTaxPercent?: number;
  /**
   * The difference between the tax of the total and the sum of the line taxes, as when tax is calculated on
   * the total.
   */
  readonly taxOfTotal?: number;
  readonly discountPercent?: number;
  readonly shipping?: number;
  readonly shippingDiscount?: number;
  readonly state?: string;
  readonly status?: string;
  readonly guest?: boolean;
  readonly authorized?: boolean;
  readonly shipped?: boolean;
  readonly invoices?: readonly (readonly number[])[];
  /** Invoices of a card payment that were captured outside the store. */
  readonly capturedOffline?: boolean;
  /** Paid by other means than the payment method, so the totals are lower by this amount. */
  readonly credit?: {
    readonly kind: 'gift_cards' | 'customer_balance' | 'reward_currency';
    readonly amount: number;
  };
  readonly wrapping?: number;
  readonly fee?: number;
}

const bothCurrencies = <Name extends string>(name: Name, base: number, rate: number) =>
  ({ [name]: round(base * rate), [`base_${name}`]: round(base) }) as BothCurrencies<Name>;
/** Columns that are zero until an event sets them. */
const zeros = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => [
      [name, 0],
      [`base_${name}`, 0],
    ]),
  ) as BothCurrencies<Name>;

/** An order with all values that a checkout and its invoices write. */
export function seedOrder(seed: OrderSeed, id: number, at: string, nextId: () => number) {
  const order = orderOf(seed, id, at, nextId);
  const invoices = (seed.invoices ?? []).map((qtys, index) =>
    invoiceOf(order, qtys, index === 0, seed, nextId),
  );
  return { order, invoices };
}
export type SalesOrder = ReturnType<typeof orderOf>;
export type SalesItem = ReturnType<typeof itemOf>;
export type SalesInvoice = ReturnType<typeof invoiceOf>;

function orderOf(seed: OrderSeed, id: number, at: string, nextId: () => number) {
  const { method = 'braintree', rate = 1, shipping = 5, taxPercent = 0, discountPercent = 0 } = seed;
  const { shippingTaxPercent = taxPercent, shippingDiscount = 0, taxOfTotal = 0 } = seed;
  const items = (seed.lines ?? [{ sku: 'MUG', price: 20, qty: 1 }]).flatMap((line) =>
    itemsOf(line, { id, at, rate, taxPercent, discountPercent, isShipped: seed.shipped === true }, nextId),
  );
  const counted = items.filter(({ dummy }) => !dummy);
  const sum = (name: 'row_total' | 'tax_amount' | 'discount_amount' | 'fixed_tax') =>
    counted.reduce((all, item) => all + item[`base_${name}`], 0);
  const shippingTax = round(((shipping - shippingDiscount) * shippingTaxPercent) / 100);
  const [subtotal, tax] = [sum('row_total'), sum('tax_amount') + shippingTax + taxOfTotal];
  const discount = sum('discount_amount') + shippingDiscount;
  const { credit = null, wrapping = 0, fee = 0 } = seed;
  const extra = wrapping + fee - (credit?.amount ?? 0);
  const total = subtotal + shipping + tax - discount + sum('fixed_tax') + extra;
  const [email, isVirtual] = [`buyer${id}@example.test`, counted.every((item) => item.is_virtual === 1)];
  return {
    ...bothCurrencies('grand_total', total, rate),
    ...bothCurrencies('subtotal', subtotal, rate),
    ...bothCurrencies('subtotal_incl_tax', subtotal + sum('tax_amount'), rate),
    ...bothCurrencies('discount_amount', -discount, rate),
    ...bothCurrencies('shipping_amount', shipping, rate),
    ...bothCurrencies('shipping_incl_tax', shipping + shippingTax, rate),
    ...bothCurrencies('shipping_tax_amount', shippingTax, rate),
    ...bothCurrencies('shipping_discount_amount', shippingDiscount, rate),
    ...bothCurrencies('tax_amount', tax, rate),
    ...bothCurrencies('total_due', total, rate),
    ...zeros('total_invoiced', 'total_paid', 'total_refunded', 'total_online_refunded'),
    ...zeros('total_offline_refunded', 'shipping_refunded', 'shipping_tax_refunded', 'tax_invoiced'),
    ...zeros('tax_refunded', 'subtotal_refunded', 'discount_refunded'),
    ...zeros('adjustment_positive', 'adjustment_negative'),
    entity_id: id,
    increment_id: String(id).padStart(9, '0'),
    store_id: 1,
    base_currency_code: seed.base ?? 'EUR',
    order_currency_code: seed.shown ?? seed.base ?? 'EUR',
    base_to_order_rate: rate,
    customer_email: email,
    customer_firstname: seed.guest ? null : 'Ada',
    customer_lastname: seed.guest ? null : `Byron ${id}`,
    customer_id: seed.guest ? null : 100 + id,
    customer_is_guest: seed.guest ? 1 : 0,
    customer_note: null,
    is_virtual: isVirtual ? 1 : 0,
    shipping_description: isVirtual ? null : 'Flat Rate - Fixed',
    created_at: at,
    updated_at: at,
    state: seed.state ?? 'processing',
    status: seed.status ?? seed.state ?? 'processing',
    items,
    payment: {
      ...bothCurrencies('amount_ordered', total, rate),
      ...bothCurrencies('amount_authorized', seed.authorized ? total : 0, rate),
      ...bothCurrencies('amount_paid', 0, rate),
      ...bothCurrencies('amount_refunded', 0, rate),
      entity_id: id,
      parent_id: id,
      method,
      additional_information: [method === 'checkmo' ? 'Check / Money order' : 'Credit Card'],
      last_trans_id: OFFLINE_METHODS.has(method) || seed.capturedOffline ? null : `txn_${id}`,
      base_amount_refunded_online: 0,
    },
    billing_address: addressOf('billing', id, email),
    shipping_address: isVirtual ? null : addressOf('shipping', id, email),
    extras: { credit: credit && { ...credit, refunded: 0 }, wrapping, fee, wrappingRefunded: 0 },
  };
}

interface SeedTerms {
  readonly id: number;
  readonly at: string;
  readonly rate: number;
  readonly taxPercent: number;
  readonly discountPercent: number;
  readonly isShipped: boolean;
}

function itemsOf(line: SeedLine, terms: SeedTerms, nextId: () => number): SalesItem[] {
  const childrenCount = (line.children ?? []).some(({ price }) => price > 0);
  const parent = itemOf({ ...line, dummy: childrenCount }, null, terms, nextId);
  const children = (line.children ?? []).map((child) =>
    itemOf({ ...child, qty: line.qty, type: 'simple', dummy: !childrenCount }, parent.item_id, terms, nextId),
  );
  return [parent, ...children];
}

function itemOf(
  line: SeedLine & { readonly dummy: boolean },
  parentId: number | null,
  { id, at, rate, taxPercent, discountPercent, isShipped }: SeedTerms,
  nextId: () => number,
) {
  const { sku, price, qty, type = 'simple', decimal = false, fixedTax = 0, dummy } = line;
  const row = round(price * qty);
  const discount = round((row * discountPercent) / 100);
  const tax = round(((row - discount) * taxPercent) / 100);
  const itemId = nextId();
  return {
    ...bothCurrencies('price', price, rate),
    ...bothCurrencies('price_incl_tax', price * (1 + taxPercent / 100), rate),
    ...bothCurrencies('row_total', row, rate),
    ...bothCurrencies('row_total_incl_tax', row + tax, rate),
    ...zeros('row_invoiced', 'amount_refunded', 'tax_invoiced', 'tax_refunded'),
    ...zeros('discount_invoiced', 'discount_refunded', 'fixed_tax_refunded'),
    ...bothCurrencies('tax_amount', tax, rate),
    ...bothCurrencies('discount_amount', discount, rate),
    ...bothCurrencies('fixed_tax', fixedTax * qty, rate),
    item_id: itemId,
    order_id: id,
    parent_item_id: parentId,
    product_id: itemId + 10_000,
    product_type: type,
    sku,
    name: `Product ${sku}`,
    is_virtual: type === 'virtual' ? 1 : 0,
    is_qty_decimal: decimal ? 1 : 0,
    qty_ordered: qty,
    created_at: at,
    qty_invoiced: 0,
    qty_refunded: 0,
    qty_canceled: 0,
    qty_shipped: isShipped ? qty : 0,
    /** Only some items of a parent and its children are counted; the others are for display. Not a column. */
    dummy,
  };
}

/** The first invoice contains all of the shipping. */
function invoiceOf(
  order: SalesOrder,
  qtys: readonly number[],
  isFirst: boolean,
  seed: OrderSeed,
  nextId: () => number,
) {
  const id = nextId();
  const items = invoicedItems(order, qtys, id, nextId);
  const totals = BOTH.map((p) => invoiceTotals(p, order, items, isFirst, seed.taxOfTotal ?? 0));
  return {
    ...(Object.assign({}, ...totals) as BothCurrencies<
      | 'grand_total'
      | 'subtotal'
      | 'shipping_amount'
      | 'shipping_tax_amount'
      | 'tax_amount'
      | 'discount_amount'
    >),
    entity_id: id,
    order_id: order.entity_id,
    increment_id: String(id).padStart(9, '0'),
    created_at: order.created_at,
    updated_at: order.created_at,
    total_qty: items.reduce((all, { qty }) => all + qty, 0),
    state: 2,
    transaction_id: OFFLINE_METHODS.has(order.payment.method) || seed.capturedOffline ? null : `txn_${id}`,
    items,
    base_total_refunded: 0,
    is_used_for_refund: 0,
  };
}

/** The items of an invoice, which it records in the order. */
function invoicedItems(order: SalesOrder, qtys: readonly number[], invoiceId: number, nextId: () => number) {
  const lines = order.items.filter(({ parent_item_id: parent }) => parent === null);
  return order.items.flatMap((item) => {
    const qty = qtys[lines.findIndex((line) => line.item_id === (item.parent_item_id ?? item.item_id))] ?? 0;
    if (qty === 0) return [];
    const part = (name: 'row_total' | 'tax_amount' | 'discount_amount') =>
      BOTH.map((p) => (item.dummy ? 0 : round((item[`${p}${name}`] * qty) / item.qty_ordered)));
    const entry = documentItem({ id: nextId(), parentId: invoiceId }, item, qty, {
      row: part('row_total'),
      tax: part('tax_amount'),
      discount: part('discount_amount'),
    });
    item.qty_invoiced += qty;
    for (const p of BOTH) {
      item[`${p}row_invoiced`] += entry[`${p}row_total`];
      item[`${p}tax_invoiced`] += entry[`${p}tax_amount`];
      item[`${p}discount_invoiced`] += entry[`${p}discount_amount`];
    }
    return [entry];
  });
}

/** The totals of an invoice in one currency, which it records in the order. */
function invoiceTotals(
  p: CurrencyPrefix,
  order: SalesOrder,
  items: ReturnType<typeof invoicedItems>,
  isFirst: boolean,
  taxOfTotal: number,
) {
  const sum = (name: 'row_total' | 'tax_amount' | 'discount_amount') =>
    items.reduce((all, item) => all + item[`${p}${name}`], 0);
  const once = (amount: number) => (isFirst ? amount : 0);
  const shipping = once(order[`${p}shipping_amount`]);
  const shippingTax = once(order[`${p}shipping_tax_amount`]);
  const discount = sum('discount_amount') + once(order[`${p}shipping_discount_amount`]);
  const tax = sum('tax_amount') + shippingTax + once(taxOfTotal);
  const { wrapping, fee, credit } = order.extras;
  const extra = once(wrapping + fee - (credit?.amount ?? 0));
  const fixedTaxes = items.reduce((all, { order_item_id: of, qty }) => {
    const item = order.items.find(({ item_id }) => item_id === of);
    return item ? all + (item[`${p}fixed_tax`] * qty) / item.qty_ordered : all;
  }, 0);
  const total = round(sum('row_total') + tax + shipping - discount + fixedTaxes + extra);
  order[`${p}total_invoiced`] = round(order[`${p}total_invoiced`] + total);
  order[`${p}total_paid`] = round(order[`${p}total_paid`] + total);
  order[`${p}total_due`] = round(order[`${p}grand_total`] - order[`${p}total_paid`]);
  order[`${p}tax_invoiced`] = round(order[`${p}tax_invoiced`] + tax);
  order.payment[`${p}amount_paid`] = order[`${p}total_paid`];
  return {
    [`${p}grand_total`]: total,
    [`${p}subtotal`]: round(sum('row_total')),
    [`${p}shipping_amount`]: shipping,
    [`${p}shipping_tax_amount`]: shippingTax,
    [`${p}tax_amount`]: round(tax),
    [`${p}discount_amount`]: -round(discount),
  };
}

const addressOf = (type: 'billing' | 'shipping', id: number, email: string) => ({
  address_type: type,
  firstname: 'Ada',
  lastname: `Byron ${id}`,
  street: ['1 Analytical St', 'Flat 2'],
  city: 'London',
  region: 'London',
  postcode: 'N1 1AA',
  country_id: 'GB',
  email,
  telephone: '555',
});
