import { ok, type RemoteRefund, type Session } from '@switchboard/platform-kit';
import { z } from 'zod';
import {
  createPlatformClient,
  type ErrorMapping,
  type PlatformError,
} from '@switchboard/platform-kit/platform-client';
import { decimal } from '@switchboard/platform-kit/decimal';
import { webhookBodyOf } from '@switchboard/platform-kit/webhook-body-of';
import { manifest } from './manifest.js';

const textOrNumber = z.union([z.string(), z.number()]);
const text = z.string().nullish();
const wireError = z.object({
  status: textOrNumber.nullish(),
  /** v3. */
  title: text,
  detail: text,
  // A record by field, but an empty list of some 404s (`NotFound` in [V3]).
  errors: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  /** v2. */
  message: text,
  /** Quotes and refunds. */
  error: text,
});
/** v2 returns a list of errors, v3 a single error, and its refunds a list below `data` or `errors`. */
const wireErrors = z.union([
  z.array(wireError).min(1),
  z.object({ data: z.array(wireError).min(1) }).transform(({ data }) => data),
  z.object({ errors: z.array(wireError).min(1) }).transform(({ errors }) => errors),
  wireError.transform((error) => [error]),
]);

function messageOf({
  status,
  title,
  detail,
  message,
  error,
  errors,
}: z.infer<typeof wireError>): PlatformError | null {
  const fieldErrors = Object.entries(errors ?? {}).map(([field, reason]) => `${field}: ${String(reason)}`);
  const stated = [title ?? message ?? error, detail, ...fieldErrors].flatMap(
    (part) => part?.replace(/\.$/, '') || [],
  );
  return stated.length > 0 ? { code: String(status ?? '') || undefined, message: stated.join('. ') } : null;
}

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const [error] = wireErrors.safeParse(response.json).data ?? [];
    return error ? messageOf(error) : null;
  },
  classify: (response) => (response.status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

export const { requestJson } = createPlatformClient(errorMapping);

/** The same transport, with a 204 (no content) converted to an empty JSON list. */
export const withEmptyBodyAs = (session: Session, nothing: unknown): Session => ({
  ...session,
  async request(request) {
    const outcome = await session.request(request);
    return outcome.ok && outcome.value.status === 204 ? ok({ ...outcome.value, json: nothing }) : outcome;
  },
});

/** The same transport, with the time of each response by the store's own clock. */
export const withResponseTime = (session: Session): Session => ({
  ...session,
  async request(request) {
    const outcome = await session.request(request);
    if (!outcome.ok || typeof outcome.value.json !== 'object') return outcome;
    const { json, headers } = outcome.value;
    return ok({ ...outcome.value, json: { ...json, answered_at: headers['date'] } });
  },
});

const id = textOrNumber.transform(String);
/** RFC 2822 in v2 (`Wed, 10 Jan 2018 21:05:30 +0000`), RFC 3339 in v3. */
const time = z
  .string()
  .transform((written) => new Date(written))
  .refine((date) => !Number.isNaN(date.getTime()));

export const store = z.object({
  id: z.string().min(1),
  name: text,
  domain: text,
  secure_url: text,
  // An empty list if there are none.
  logo: z.union([z.object({ url: text }), z.array(z.unknown())]).nullish(),
});

const line = z.object({
  id,
  name: z.string(),
  sku: text,
  quantity: z.number(),
  quantity_refunded: z.number().nullish(),
  price_inc_tax: decimal,
  total_inc_tax: decimal,
  /** The shopper's price for all units, with tax and less all discounts. */
  discounted_total_inc_tax: decimal.nullish(),
  wrapping_cost_inc_tax: decimal.nullish(),
});

const address = z.object({
  first_name: text,
  last_name: text,
  street_1: text,
  street_2: text,
  city: text,
  state: text,
  zip: text,
  country_iso2: text,
});

const consignment = address.extend({
  id,
  shipping_method: text,
  cost_ex_tax: decimal,
  cost_inc_tax: decimal,
  handling_cost_ex_tax: decimal.nullish(),
  handling_cost_inc_tax: decimal.nullish(),
  line_items: z.array(line),
});
const unshipped = z.array(z.object({ line_items: z.array(line) })).nullish();

export const order = z.object({
  id,
  customer_id: textOrNumber.transform(Number),
  date_created: time,
  date_modified: time,
  status_id: z.number(),
  status: z.string(),
  shipping_cost_ex_tax: decimal,
  handling_cost_ex_tax: decimal.nullish(),
  total_inc_tax: decimal,
  total_tax: decimal,
  discount_amount: decimal,
  coupon_discount: decimal,
  is_tax_inclusive_pricing: z.boolean().nullish(),
  items_total: z.number(),
  items_shipped: z.number(),
  payment_method: text,
  payment_status: text,
  payment_provider_id: textOrNumber.nullish(),
  store_credit_amount: decimal,
  gift_certificate_amount: decimal,
  /** The currency of the payment. `currency_code` is the one that the shop displayed. */
  default_currency_code: z.string().min(3),
  customer_message: text,
  billing_address: address.extend({ email: text }),
  consignments: z.object({
    pickups: unshipped,
    shipping: z.array(consignment).nullish(),
    downloads: unshipped,
    email: z.object({ gift_certificates: unshipped }).nullish(),
  }),
  fees: z.array(z.object({ id, cost_ex_tax: decimal, cost_inc_tax: decimal })).nullish(),
});
/** Each row is parsed on its own, so that one in another format does not fail its page. */
export const orderList = z.array(z.unknown());
/** The minimum of an order that determines its position in a list. */
export const placedOrder = order.pick({ id: true, date_created: true, date_modified: true });

/** The requested includes, so that an order comes with its lines, addresses and fees in one response. */
export const ORDER_PARTS = {
  include: 'consignments.line_items,fees',
  // The previous format of the list is not supported after February 2026.
  consignment_structure: 'object',
};

export const shipmentList = z.array(
  z.object({
    id,
    date_created: time,
    tracking_number: text,
    tracking_carrier: text,
    tracking_link: text,
    generated_tracking_link: text,
    shipping_provider: text,
    shipping_provider_display_name: text,
    items: z.array(z.object({ order_product_id: id, quantity: z.number() })).nullish(),
  }),
);

export const refund = z.object({
  id,
  order_id: id,
  created: time,
  reason: text,
  total_amount: decimal,
  items: z
    .array(
      z.object({
        item_type: z.string(),
        item_id: id,
        quantity: z.number().nullish(),
        requested_amount: decimal.nullish(),
        reason: text,
      }),
    )
    .nullish(),
  payments: z
    .array(
      z.object({
        // No field of a refund's payments is required by [V3]; without an amount nothing can be counted.
        provider_id: text,
        amount: decimal,
        offline: z.boolean().nullish(),
        is_declined: z.boolean().nullish(),
        declined_message: text,
        /** Of the transaction in which the money left. */
        transaction_id: textOrNumber.nullish(),
      }),
    )
    .nullish()
    .transform((payments) => payments ?? []),
});
export const refundResponse = z.object({ data: refund });
/** Each is parsed on its own; one without even these fields might belong to any order. */
export const refundList = z.object({ data: z.array(z.looseObject({ id, order_id: id })) });

export const transactionList = z.object({
  data: z.array(z.object({ id, status: text })),
  answered_at: time.optional().catch(undefined),
});

export const quoteResponse = z.object({
  data: z.object({
    total_refund_amount: decimal,
    adjustment: decimal.nullish(),
    refund_methods: z.array(
      z.array(
        z.object({
          provider_id: z.string(),
          amount: decimal,
          offline: z.boolean(),
          offline_reason: text,
        }),
      ),
    ),
  }),
});

const webhook = z.object({ id });
export const webhookAnswer = z.object({ data: webhook });
export const webhookList = z.object({
  data: z.array(webhook.extend({ scope: z.string(), destination: z.string(), is_active: z.boolean() })),
});
export const readWebhookBody = webhookBodyOf(
  z.object({ hash: z.string().min(1), data: z.object({ type: z.literal('order'), id }) }),
);

export type WireOrder = z.infer<typeof order>;
export type WireLine = z.infer<typeof line>;
export type WireShipment = z.infer<typeof shipmentList>[number];
type ParsedRefund = z.infer<typeof refund>;
export type WireRefund = Omit<ParsedRefund, 'payments'> & {
  readonly payments: readonly (ParsedRefund['payments'][number] & {
    /** The transaction's status, if it was read. */
    readonly status?: RemoteRefund['status'];
  })[];
};
export type WireQuote = z.infer<typeof quoteResponse>['data'];
