import { z } from 'zod';
import type { ErrorMapping, PlatformError } from '@switchboard/platform-kit/platform-client';
import { decimal } from '@switchboard/platform-kit/decimal';
import { parseExact } from '@switchboard/platform-kit/exact-amount';
import { manifest } from './manifest.js';

const wireError = z.object({
  message: z.string(),
  parameters: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).nullish(),
});

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response): PlatformError | null {
    const error = wireError.safeParse(response.json).data;
    return error ? { message: filledIn(error) } : null;
  },
  classify: (response) =>
    response.status === 401 || response.status === 403 ? 'platform.permission_missing' : 'platform.refused',
};

/** A message contains placeholders: `The consumer isn't authorized to access %resources.` */
function filledIn({ message, parameters }: z.infer<typeof wireError>): string {
  const values = Array.isArray(parameters)
    ? Object.fromEntries(parameters.map((value, at) => [String(at + 1), value]))
    : (parameters ?? {});
  return message.replace(/%(\w+)/g, (gap, name: string) =>
    ['string', 'number'].includes(typeof values[name]) ? String(values[name]) : gap,
  );
}

const id = z.int().transform(String);
/** Zero amounts are omitted. */
const amount = decimal.nullish().transform((text) => parseExact(text ?? '0'));
const quantity = decimal.transform(parseExact);
const text = z.string().nullish();
/** In UTC, without a time zone designator. */
const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  .transform((written) => new Date(`${written.replace(' ', 'T')}Z`));

/** An empty object is serialized as an empty list, as PHP does. */
const attached = <Thing extends z.ZodType>(thing: Thing) =>
  z.union([z.tuple([]).transform(() => null), thing.nullish()]);

const address = z.object({
  firstname: text,
  lastname: text,
  street: z.array(z.string()).nullish(),
  city: text,
  region: text,
  postcode: text,
  country_id: text,
  email: text,
});

const item = z.object({
  item_id: id,
  parent_item_id: id.nullish(),
  product_type: text,
  sku: text,
  name: text,
  is_virtual: z.int().nullish(),
  qty_ordered: quantity,
  qty_canceled: amount,
  qty_invoiced: amount,
  qty_refunded: amount,
  qty_shipped: amount,
  base_price: amount,
  base_price_incl_tax: amount,
  base_row_total: amount,
  base_row_invoiced: amount,
  base_amount_refunded: amount,
  base_tax_amount: amount,
  base_tax_invoiced: amount,
  base_tax_refunded: amount,
  base_discount_amount: amount,
  base_discount_invoiced: amount,
  base_discount_refunded: amount,
  base_discount_tax_compensation_amount: amount,
  base_discount_tax_compensation_invoiced: amount,
  base_discount_tax_compensation_refunded: amount,
  base_weee_tax_applied_row_amnt: amount,
});

export const order = z.object({
  entity_id: id,
  increment_id: z.string(),
  state: z.string().nullish(),
  status: z.string().nullish(),
  base_currency_code: z.string().transform((code) => code.toUpperCase()),
  base_grand_total: amount,
  base_discount_amount: amount,
  base_tax_amount: amount,
  base_tax_invoiced: amount,
  base_tax_refunded: amount,
  base_shipping_amount: amount,
  base_shipping_refunded: amount,
  base_shipping_tax_amount: amount,
  base_shipping_tax_refunded: amount,
  base_shipping_discount_amount: amount,
  base_shipping_discount_tax_compensation_amnt: amount,
  base_discount_tax_compensation_invoiced: amount,
  base_discount_tax_compensation_refunded: amount,
  base_total_paid: amount,
  base_total_refunded: amount,
  shipping_description: text,
  is_virtual: z.int().nullish(),
  customer_id: id.nullish(),
  customer_email: text,
  customer_firstname: text,
  customer_lastname: text,
  customer_note: text,
  created_at: time,
  updated_at: time,
  items: z.array(item),
  billing_address: address.nullish(),
  payment: z
    .object({
      method: z.string(),
      additional_information: z.array(z.unknown()).nullish(),
      base_amount_authorized: amount,
    })
    .nullish(),
  extension_attributes: attached(
    z.object({
      shipping_assignments: z
        .array(z.object({ shipping: attached(z.object({ address: attached(address) })) }))
        .nullish(),
      base_gift_cards_amount: amount,
      base_customer_balance_amount: amount,
      base_reward_currency_amount: amount,
      gw_base_price: amount,
      gw_items_base_price: amount,
      gw_card_base_price: amount,
      custom_fees: z.array(z.object({ base_custom_fee_amount: amount })).nullish(),
    }),
  ),
});

export const invoice = z.object({
  entity_id: id,
  order_id: id,
  state: z.int().nullish(),
  transaction_id: text,
  base_grand_total: amount,
  base_total_refunded: amount,
  base_tax_amount: amount,
  base_shipping_amount: amount,
  base_shipping_tax_amount: amount,
  base_discount_tax_compensation_amount: amount,
  base_shipping_discount_tax_compensation_amnt: amount,
  items: z.array(z.object({ order_item_id: id, qty: quantity })),
});

export const memo = z.object({
  entity_id: id,
  order_id: id,
  invoice_id: id.nullish(),
  state: z.int().nullish(),
  transaction_id: text,
  base_currency_code: text,
  // Zero amounts are omitted elsewhere; a credit memo without its total would count as no refund.
  base_grand_total: quantity,
  base_tax_amount: amount,
  base_discount_tax_compensation_amount: amount,
  base_shipping_discount_tax_compensation_amnt: amount,
  created_at: time,
  items: z.array(z.object({ order_item_id: id, qty: quantity })),
  comments: z.array(z.object({ comment: text })).nullish(),
});

export const shipment = z.object({
  entity_id: id,
  order_id: id,
  created_at: time,
  items: z.array(z.object({ order_item_id: id, qty: quantity })),
  tracks: z.array(z.object({ track_number: text, title: text, carrier_code: text })).nullish(),
});

const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ items: z.array(row), total_count: z.int().nonnegative() });
/** Rows are parsed one by one, so that one in another format does not fail its page. */
export const orderList = listOf(z.unknown());
/** The minimum of an order that determines its position in a list. */
export const placedOrder = order.pick({ entity_id: true, created_at: true, updated_at: true });
/** Invoices and credit memos: one without even these fields might belong to any order. */
export const documentList = listOf(z.looseObject({ entity_id: id, order_id: id }));
/** Only the ID: an empty list, for instance, has none. */
export const probeList = z.object({ total_count: z.int() });
export const memoId = id;
export const storeConfigs = z
  .array(z.object({ id: z.int(), base_url: z.url(), secure_base_url: z.url().nullish() }))
  .min(1);

export type WireOrder = z.infer<typeof order>;
export type WireItem = z.infer<typeof item>;
export type WireInvoice = z.infer<typeof invoice>;
export type WireMemo = z.infer<typeof memo>;
export type WireShipment = z.infer<typeof shipment>;

/** Magento's numbers for states. */
export const INVOICE_PAID = 2;
export const MEMO_REFUNDED = 2;
export const MEMO_CANCELED = 3;
