import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { decimal } from '@switchboard/platform-kit/decimal';
import { EXACT_DECIMALS } from '@switchboard/platform-kit/exact-amount';
import { webhookBodyOf } from '@switchboard/platform-kit/webhook-body-of';
import { manifest } from './manifest.js';

const wireError = z.object({
  code: z.union([z.string(), z.number()]).transform(String),
  message: z.string(),
});

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const error = wireError.safeParse(response.json).data;
    return error ? { code: error.code, message: error.message } : null;
  },
  classify: (response) => (response.status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

export const { requestJson } = createPlatformClient(errorMapping);

/** All decimals that a store keeps: it rounds to its own number unless more are requested. */
export const PLACES = EXACT_DECIMALS;

const id = z.int().transform(String);
const name = z.string().nullish();
/** Missing amounts are empty strings. */
const amount = z.union([decimal, z.literal('').transform(() => '0')]);
/** GMT, without a time zone designator. */
const gmt = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  .transform((text) => new Date(`${text}Z`));

const taxes = z.array(z.object({ id, total: amount })).nullish();
const item = z.object({ id, total: amount, total_tax: amount, taxes });

const line = item.extend({ name: z.string(), sku: name, quantity: z.number() });
const shippingLine = item.extend({ method_title: name });

const address = z.object({
  first_name: name,
  last_name: name,
  company: name,
  address_1: name,
  address_2: name,
  city: name,
  state: name,
  postcode: name,
  country: name,
  email: name,
});

/**
 * An entry that the extensions Shipment Tracking and Advanced Shipment Tracking keep in the order's metadata;
 * WooCommerce itself has no shipments.
 */
const trackingItem = z.object({
  tracking_id: name,
  tracking_provider: name,
  custom_tracking_provider: name,
  custom_tracking_link: name,
  tracking_number: name,
  // Seconds since 1970, as text or number.
  date_shipped: z.coerce.number().positive().nullish().catch(null),
  products_list: z
    .array(z.object({ item_id: z.coerce.string(), qty: z.coerce.number().int().positive() }))
    .nullish()
    .catch(null),
});
export const trackingItems = z.array(trackingItem);
export const TRACKING_KEY = '_wc_shipment_tracking_items';

export const order = z.object({
  id,
  number: z.union([z.string(), z.number()]).transform(String),
  status: z.string(),
  currency: z.string(),
  prices_include_tax: z.boolean().nullish(),
  date_created_gmt: gmt,
  date_modified_gmt: gmt,
  date_paid_gmt: gmt.nullish(),
  date_completed_gmt: gmt.nullish(),
  discount_total: amount,
  shipping_total: amount,
  total_tax: amount,
  total: amount,
  customer_id: z.int(),
  customer_note: name,
  billing: address,
  shipping: address.nullish(),
  payment_method: z.string(),
  payment_method_title: name,
  line_items: z.array(line),
  shipping_lines: z.array(shippingLine),
  refunds: z.array(z.object({ id })),
  meta_data: z.array(z.object({ key: z.string(), value: z.unknown() })).nullish(),
});

/** The requested fields of an order: without them a response is three times as long. */
export const ORDER_FIELDS = Object.keys(order.shape).join(',');

const refundedItem = z.object({
  quantity: z.number().nullish(),
  total: amount,
  total_tax: amount.nullish(),
  meta_data: z.array(z.object({ key: z.string(), value: z.unknown() })).nullish(),
});

export const refund = z.object({
  id,
  date_created_gmt: gmt,
  amount,
  reason: z.string().nullish(),
  // Only `true` means that the gateway has paid.
  refunded_payment: z.boolean().nullish(),
  line_items: z.array(refundedItem).nullish(),
  shipping_lines: z.array(refundedItem).nullish(),
});

/** Rows are parsed one by one, so that one in another format does not fail its page. */
export const rowList = z.array(z.unknown());
/** The minimum of an order that determines its position in a list. */
export const placedOrder = order.pick({ id: true, date_created_gmt: true, date_modified_gmt: true });
export const refundList = z.array(refund);
export const gateway = z.object({ id: z.string(), method_supports: z.array(z.string()).nullish() });
export const createdWebhook = z.object({ id });
export const webhookList = z.array(
  z.object({ id, status: z.string(), topic: z.string(), delivery_url: z.string() }),
);
export const readWebhookBody = webhookBodyOf(z.object({ id }));
export const index = z.object({ name: z.string() });
export const ids = z.array(z.object({ id }));
export const shownTotal = z.object({ total: z.string() });

export type WireOrder = z.infer<typeof order>;
export type WireRefund = z.infer<typeof refund>;
export type WireItem = z.infer<typeof item>;
export type WireLine = z.infer<typeof line>;
