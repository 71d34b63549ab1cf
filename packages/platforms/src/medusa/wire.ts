import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { decimal } from '@switchboard/platform-kit/decimal';
import { manifest } from './manifest.js';

const wireError = z.object({ type: z.string(), message: z.string() });

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const error = wireError.safeParse(response.json).data;
    return error ? { code: error.type, message: error.message } : null;
  },
  classify: (response) => (response.status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

export const { requestJson } = createPlatformClient(errorMapping);

const id = z.string().min(1);
const time = z.iso.datetime().transform((text) => new Date(text));
const name = z.string().nullish();

export const storeList = z.object({ stores: z.array(z.object({ id, name: z.string() })).min(1) });

const address = z.object({
  first_name: name,
  last_name: name,
  address_1: name,
  address_2: name,
  city: name,
  province: name,
  postal_code: name,
  country_code: name,
});

const refund = z.object({
  id,
  amount: decimal,
  note: z.string().nullish(),
  payment_id: id.nullish(),
  created_at: time,
});

const payment = z.object({
  id,
  provider_id: z.string(),
  amount: decimal,
  currency_code: name,
  captures: z.array(z.object({ amount: decimal })).nullish(),
  refunds: z.array(refund).nullish(),
});

export const paymentAnswer = z.object({
  payment: z.object({ id, currency_code: name, refunds: z.array(refund) }),
});

const line = z.object({
  id,
  title: z.string(),
  variant_sku: z.string().nullish(),
  quantity: z.number(),
  unit_price: decimal,
  is_tax_inclusive: z.boolean().nullish(),
  total: decimal,
  detail: z.object({ return_received_quantity: z.number().nullish() }).nullish(),
});

const fulfillment = z.object({
  id,
  shipped_at: time.nullish(),
  delivered_at: time.nullish(),
  canceled_at: time.nullish(),
  created_at: time,
  labels: z.array(z.object({ tracking_number: name, tracking_url: name })).nullish(),
  items: z.array(z.object({ line_item_id: name, quantity: z.number() })).nullish(),
});

const orderFields = z.object({
  id,
  display_id: z.union([z.number(), z.string()]).transform(String),
  status: z.string(),
  payment_status: name,
  fulfillment_status: name,
  currency_code: z.string().transform((code) => code.toUpperCase()),
  email: z.string().nullish(),
  // Refunds reduce `total` and related fields; the ordered amounts remain in the original ones.
  original_total: decimal,
  original_shipping_total: decimal,
  original_tax_total: decimal,
  discount_total: decimal,
  items: z.array(line).nullish(),
  shipping_methods: z.array(z.object({ id, name: z.string(), total: decimal })).nullish(),
  customer: z.object({ id, first_name: name, last_name: name, email: z.string().nullish() }).nullish(),
  shipping_address: address.nullish(),
  billing_address: address.nullish(),
  payment_collections: z.array(z.object({ payments: z.array(payment).nullish() })).nullish(),
  fulfillments: z.array(fulfillment).nullish(),
  created_at: time,
  updated_at: time,
});

/** Amounts are in the single currency of the order; a payment in another is not supported. */
export const order = orderFields.refine(({ currency_code: currency, payment_collections: collections }) =>
  (collections ?? [])
    .flatMap(({ payments }) => payments ?? [])
    .every((one) => (one.currency_code ?? currency).toUpperCase() === currency),
);

/** The requested fields, so that an order comes with all its related objects. */
export const ORDER_FIELDS = [
  ...Object.keys(orderFields.shape).filter(
    (field) => !['items', 'shipping_methods', 'fulfillments'].includes(field),
  ),
  '*items',
  '*items.detail',
  '*shipping_methods',
  '*customer',
  '*shipping_address',
  '*billing_address',
  '*fulfillments',
  '*fulfillments.labels',
  '*fulfillments.items',
  '*payment_collections.payments',
  '*payment_collections.payments.captures',
  '*payment_collections.payments.refunds',
].join(',');

export const orderAnswer = z.object({ order });
export const orderList = z.object({
  // Each is parsed on its own, so that one in another format does not fail its page.
  orders: z.array(z.unknown()),
  count: z.int().nonnegative(),
  offset: z.int().nonnegative(),
});

/** The creation time of an order in a list, even if the rest of it cannot be read. */
export const placedOrder = orderFields.pick({ created_at: true });

export type WireOrder = z.infer<typeof order>;
export type WireRefund = z.infer<typeof refund>;
