import { money as moneyIn } from '@switchboard/platform-kit';
import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { webhookBodyOf } from '@switchboard/platform-kit/webhook-body-of';
import { manifest } from './manifest.js';
import { SQUARE_VERSION } from './version.js';

const errorList = z.object({
  errors: z.array(z.object({ code: z.string(), detail: z.string().nullish() })).min(1),
});

const LOGIN_IS_OVER: ReadonlySet<string> = new Set([
  'UNAUTHORIZED',
  'ACCESS_TOKEN_EXPIRED',
  'ACCESS_TOKEN_REVOKED',
  'CLIENT_DISABLED',
  'APPLICATION_DISABLED',
]);
const NOT_ALLOWED: ReadonlySet<string> = new Set(['FORBIDDEN', 'INSUFFICIENT_SCOPES']);

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const first = errorList.safeParse(response.json).data?.errors[0];
    return first ? { code: first.code, message: first.detail ?? first.code } : null;
  },
  classify(_answer, { code = '' }) {
    if (LOGIN_IS_OVER.has(code)) return 'connection.needs_reauth';
    return NOT_ALLOWED.has(code) ? 'platform.permission_missing' : 'platform.refused';
  },
};

/** In the version that is supported. */
export const { requestJson } = createPlatformClient(errorMapping, {
  prepareRequest: (request) => ({ ...request, headers: { 'square-version': SQUARE_VERSION } }),
});

const id = z.string().min(1);
const text = z.string().nullish();
const time = z.iso.datetime({ offset: true }).transform((written) => new Date(written));
/** Whole numbers of the currency's smallest unit. A zero amount may be omitted. */
const money = z
  .object({ amount: z.int().nullish(), currency: z.string().length(3) })
  .transform(({ amount, currency }) => moneyIn(amount ?? 0, currency));
const amount = money.nullish();

export const merchantAnswer = z.object({ merchant: z.object({ id, business_name: text }) });
export const locationList = z.object({ locations: z.array(z.object({ id })).nullish() });

const address = z.object({
  address_line_1: text,
  address_line_2: text,
  locality: text,
  administrative_district_level_1: text,
  postal_code: text,
  country: text,
});

const recipient = z.object({
  customer_id: text,
  display_name: text,
  email_address: text,
  address: address.nullish(),
});
const details = z.object({ recipient: recipient.nullish() }).nullish();
const shipmentDetails = z
  .object({
    recipient: recipient.nullish(),
    carrier: text,
    tracking_number: text,
    tracking_url: text,
    placed_at: time.nullish(),
    shipped_at: time.nullish(),
  })
  .nullish();

export const order = z.object({
  id,
  location_id: id,
  reference_id: text,
  customer_id: text,
  state: text,
  line_items: z
    .array(
      z.object({
        uid: text,
        name: text,
        variation_name: text,
        quantity: z.string(),
        base_price_money: amount,
        gross_sales_money: amount,
        total_money: amount,
      }),
    )
    .nullish(),
  service_charges: z
    .array(z.object({ uid: text, name: text, type: text, applied_money: amount, total_money: amount }))
    .nullish(),
  fulfillments: z
    .array(
      z.object({
        uid: text,
        type: text,
        state: text,
        line_item_application: text,
        entries: z.array(z.object({ line_item_uid: text, quantity: text })).nullish(),
        pickup_details: details,
        shipment_details: shipmentDetails,
        delivery_details: details,
      }),
    )
    .nullish(),
  taxes: z.array(z.object({ type: text })).nullish(),
  returns: z.array(z.unknown()).nullish(),
  tenders: z
    .array(
      z.object({ id, payment_id: text, location_id: text, type: z.string(), created_at: time.nullish() }),
    )
    .nullish(),
  // The amount due when the order was placed: a refund creates an order of its own.
  total_money: amount,
  total_tax_money: amount,
  total_discount_money: amount,
  total_service_charge_money: amount,
  created_at: time,
  updated_at: time.nullish(),
});

export const orderAnswer = z.object({ order });
/** Rows are parsed one by one, so that one in another format does not fail its page. */
export const orderSearch = z.object({ orders: z.array(z.unknown()).nullish(), cursor: text });

export const payment = z.object({
  id,
  status: text,
  source_type: text,
  total_money: amount,
  refunded_money: amount,
  refund_ids: z.array(id).nullish(),
  customer_id: text,
  buyer_email_address: text,
  billing_address: z.object({ first_name: text, last_name: text }).nullish(),
  card_details: z.object({ refund_requires_card_presence: z.boolean().nullish() }).nullish(),
  version_token: text,
});

export const paymentAnswer = z.object({ payment });
export const paymentList = z.object({ payments: z.array(z.unknown()).nullish() });

const refund = z.object({
  id,
  // Null or an unknown value is a refund that is not completed.
  status: text,
  destination_type: text,
  // Without its amount the remainder would be unknown.
  amount_money: z
    .object({ amount: z.int(), currency: z.string().length(3) })
    .transform(({ amount, currency }) => moneyIn(amount, currency)),
  payment_id: text,
  reason: text,
  created_at: time,
});

export const refundAnswer = z.object({ refund });

const customer = z.object({
  id,
  given_name: text,
  family_name: text,
  company_name: text,
  email_address: text,
});

/** For a deleted customer there are only errors. */
export const customerMap = z.object({
  responses: z.record(z.string(), z.object({ customer: customer.nullish() }).catch({})).nullish(),
});

const webhookSubscription = z.object({
  id,
  enabled: z.boolean().nullish(),
  event_types: z.array(z.string()).nullish(),
  notification_url: text,
  signature_key: text,
});
export const webhookAnswer = z.object({ subscription: webhookSubscription });
export const webhookList = z.object({ subscriptions: z.array(webhookSubscription).nullish(), cursor: text });
export const nothing = z.object({});

const named = z.object({ order_id: id });
/** The order is below the name of the event. */
export const readWebhookBody = webhookBodyOf(
  z
    .object({
      merchant_id: id,
      event_id: id,
      data: z.object({
        object: z.union([z.object({ order_created: named }), z.object({ order_updated: named })]),
      }),
    })
    .transform(({ data: { object }, ...event }) => ({
      ...event,
      orderId: 'order_created' in object ? object.order_created.order_id : object.order_updated.order_id,
    })),
);

export type WireOrder = z.infer<typeof order>;
export type WirePayment = z.infer<typeof payment>;
export type WireRefund = z.infer<typeof refund>;
export type WireCustomer = z.infer<typeof customer>;
