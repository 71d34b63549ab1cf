import { ok, type RemoteRefund, type Session } from '@switchboard/domain';
import { z } from 'zod';
import type { Dialect, Words } from '../kit/answers.js';
import { decimal } from '../kit/decimal.js';
import { manifest } from './manifest.js';

const textOrNumber = z.union([z.string(), z.number()]);
const wireError = z.object({
  status: textOrNumber.optional(),
  /** v3. */
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.record(z.string(), z.unknown()).optional(),
  /** v2. */
  message: z.string().optional(),
  /** Quotes and refunds. */
  error: z.string().optional(),
});
/** v2 answers with a list of errors, v3 with one, and its refunds with a list below `data` or `errors`. */
const wireErrors = z.union([
  z.array(wireError).min(1),
  z.object({ data: z.array(wireError).min(1) }).transform(({ data }) => data),
  z.object({ errors: z.array(wireError).min(1) }).transform(({ errors }) => errors),
  wireError.transform((error) => [error]),
]);

function wordsOf({
  status,
  title,
  detail,
  message,
  error,
  errors = {},
}: z.infer<typeof wireError>): Words | null {
  const why = Object.entries(errors).map(([field, text]) => `${field}: ${String(text)}`);
  const said = [title ?? message ?? error, detail, ...why].flatMap((text) => text?.replace(/\.$/, '') || []);
  return said.length > 0
    ? { code: status === undefined ? undefined : String(status), message: said.join('. ') }
    : null;
}

export const dialect: Dialect = {
  name: manifest.name,
  words(answer) {
    const [error] = wireErrors.safeParse(answer.json).data ?? [];
    return error ? wordsOf(error) : null;
  },
  meaning: (answer) => (answer.status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

/** The same line, on which an answer without a body (204: there is nothing) says so in the words of one that has. */
export const withNothingAs = (session: Session, nothing: unknown): Session => ({
  ...session,
  async request(request) {
    const outcome = await session.request(request);
    return outcome.ok && outcome.value.status === 204 ? ok({ ...outcome.value, json: nothing }) : outcome;
  },
});

/** The same line, whose answers say when the store gave them, by its own clock. */
export const withTime = (session: Session): Session => ({
  ...session,
  async request(request) {
    const outcome = await session.request(request);
    if (!outcome.ok || typeof outcome.value.json !== 'object') return outcome;
    const { json, headers } = outcome.value;
    return ok({ ...outcome.value, json: { ...json, answered_at: headers['date'] } });
  },
});

const id = textOrNumber.transform(String);
const text = z.string().nullish();
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
  // An empty list where there is none.
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
  /** What the shopper pays for all units, with tax and less all discounts. */
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
  subtotal_ex_tax: decimal,
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
  store_credit_amount: decimal,
  gift_certificate_amount: decimal,
  /** What the shopper pays in. `currency_code` is what the shop showed. */
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
export const orderList = z.array(order);

/** What is asked for, so that an order comes with its lines, addresses and fees in one answer. */
export const ORDER_PARTS = {
  include: 'consignments.line_items,fees',
  // The list that came before is not supported after February 2026.
  consignment_structure: 'object',
};

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
        provider_id: z.string(),
        amount: decimal,
        offline: z.boolean(),
        is_declined: z.boolean(),
        declined_message: text,
        /** Of the transaction in which the money left. */
        transaction_id: textOrNumber.nullish(),
      }),
    )
    .nullish()
    .transform((payments) => payments ?? []),
});
export const refundAnswer = z.object({ data: refund });
export const refundList = z.object({ data: z.array(refund) });

export const transactionList = z.object({
  data: z.array(z.object({ id, event: z.string(), status: text })),
  answered_at: time.optional().catch(undefined),
});

export const quoteAnswer = z.object({
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

export type WireOrder = z.infer<typeof order>;
export type WireLine = z.infer<typeof line>;
type ParsedRefund = z.infer<typeof refund>;
export type WireRefund = Omit<ParsedRefund, 'payments'> & {
  readonly payments: readonly (ParsedRefund['payments'][number] & {
    /** What the transaction says, where that was read. */
    readonly status?: RemoteRefund['status'];
  })[];
};
export type WireQuote = z.infer<typeof quoteAnswer>['data'];
