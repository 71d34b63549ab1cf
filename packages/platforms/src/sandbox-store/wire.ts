import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const wireError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError: (response) => wireError.safeParse(response.json).data?.error ?? null,
  classify: (_answer, words) =>
    words.code === 'insufficient_scope' ? 'platform.permission_missing' : 'platform.refused',
};

export const { requestJson } = createPlatformClient(errorMapping);

const id = z.string().min(1);
const quantity = z.int().nonnegative();
/** All amounts there are in the currency's smallest unit already. */
const minor = z.int();
const time = z.iso.datetime().transform((text) => new Date(text));
const currency = z.string().regex(/^[A-Z]{3}$/);

export const account = z.object({
  id,
  name: z.string(),
  domain: z.string(),
  avatar_url: z.string().nullable(),
  url: z.string(),
});

export const refund = z.object({
  id,
  payment_id: id,
  amount: minor,
  currency,
  status: z.enum(['pending', 'succeeded', 'failed']),
  money_moved: z.boolean(),
  reason: z.string().nullable(),
  reference: z.string().nullable(),
  created_at: time,
});

export const refundList = z.object({ data: z.array(refund) });

const address = z.object({
  name: z.string().nullish(),
  line1: z.string().nullish(),
  line2: z.string().nullish(),
  city: z.string().nullish(),
  region: z.string().nullish(),
  postal_code: z.string().nullish(),
  country: z.string().nullish(),
});

export const order = z.object({
  id,
  number: z.string(),
  status: z.enum(['open', 'completed', 'cancelled']),
  payment_status: z.enum([
    'pending',
    'authorized',
    'paid',
    'partially_paid',
    'partially_refunded',
    'refunded',
    'voided',
    'failed',
  ]),
  fulfillment_status: z.enum(['unfulfilled', 'partial', 'fulfilled', 'returned']),
  currency,
  prices_include_tax: z.boolean().nullish(),
  discount_total: minor,
  shipping_total: minor,
  tax_total: minor,
  total: minor,
  captured_total: minor,
  refunded_total: minor,
  refundable_total: minor,
  customer: z.object({ id, name: z.string().nullable(), email: z.string().nullable() }).nullable(),
  billing_address: address.extend({ email: z.string().nullish() }),
  shipping_address: address.nullable(),
  line_items: z.array(
    z.object({
      id,
      sku: z.string().nullable(),
      title: z.string(),
      quantity,
      refunded_quantity: quantity,
      unit_price: minor,
      total: minor,
    }),
  ),
  shipping_lines: z.array(z.object({ id, title: z.string(), total: minor, refunded: minor })),
  payments: z.array(
    z.object({
      id,
      gateway: z.string(),
      method: z.string().nullable(),
      online: z.boolean(),
      captured: minor,
      refunded: minor,
      refundable: minor,
    }),
  ),
  refunds: z.array(refund),
  shipments: z
    .array(
      z.object({
        id,
        status: z.enum(['pending', 'shipped', 'delivered', 'cancelled', 'failed']),
        carrier: z.string().nullable(),
        tracking_number: z.string().nullable(),
        tracking_url: z.string().nullable(),
        line_items: z.array(z.object({ id, quantity })),
        created_at: time,
      }),
    )
    .nullish(),
  note: z.string().nullable(),
  created_at: time,
  updated_at: time,
  url: z.string().nullable(),
});

export const orderList = z.object({ data: z.array(order), next_page_token: z.string().min(1).nullable() });

export type WireOrder = z.infer<typeof order>;
export type WireRefund = z.infer<typeof refund>;
export type WireAddress = z.infer<typeof address>;
