import { z } from 'zod';
import { decimal } from '@switchboard/platform-kit/decimal';
import { webhookBodyOf } from '@switchboard/platform-kit/webhook-body-of';
import { documents } from './documents.js';
import { numberOf } from './ids.js';

const id = z.string().min(1).transform(numberOf);
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const text = z.string().nullish();
const bag = z
  .object({ presentmentMoney: z.object({ amount: decimal }) })
  .transform((one) => one.presentmentMoney.amount);
const page = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

/** `{"errors":"Not Found"}`, and `{"errors":{"query":"Required parameter missing or invalid"}}` of a 400. */
const sentences = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
export const httpError = z.object({
  errors: z.union([
    sentences.transform((all) => all.join(' ')),
    z.record(z.string(), sentences).transform((fields) =>
      Object.entries(fields)
        .map(([field, all]) => `${field}: ${all.join(' ')}`)
        .join(' '),
    ),
  ]),
});

export const envelope = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])).nullish(),
        extensions: z
          .object({
            code: z.string().nullish(),
            cost: z.number().nullish(),
            maxCost: z.number().nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  extensions: z
    .object({
      cost: z
        .object({
          requestedQueryCost: z.number(),
          throttleStatus: z.object({ currentlyAvailable: z.number(), restoreRate: z.number() }),
        })
        .nullish(),
    })
    .nullish(),
});

const taxLines = z.array(z.object({ priceSet: bag }));

const line = z.object({
  id,
  sku: text,
  title: z.string(),
  quantity: z.int(),
  refundableQuantity: z.int(),
  originalUnitPriceSet: bag,
  originalTotalSet: bag,
  discountAllocations: z.array(z.object({ allocatedAmountSet: bag })),
  taxLines,
});

const shippingLine = z.object({
  id: id.nullish(),
  title: z.string(),
  discountedPriceSet: bag,
  currentDiscountedPriceSet: bag,
  taxLines,
});

const transaction = z
  .object({
    id,
    kind: z.string(),
    status: z.string(),
    gateway: text,
    manualPaymentGateway: z.boolean(),
    amountSet: z.object({ presentmentMoney: z.object({ amount: decimal, currencyCode: z.string() }) }),
    parentTransaction: z.object({ id }).nullish(),
  })
  .transform(({ amountSet: { presentmentMoney }, ...one }) => ({
    ...one,
    amountSet: presentmentMoney.amount,
    currency: presentmentMoney.currencyCode,
  }));

const refund = z.object({
  id,
  note: text,
  createdAt: time.nullish(),
  processedAt: time,
  transactions: z.object({ pageInfo: page, nodes: z.array(z.object({ id })) }),
});

const shippedLines = z.object({
  pageInfo: page,
  nodes: z.array(z.object({ quantity: z.int().nullish(), lineItem: z.object({ id }) })),
});
const shipment = z.object({
  id,
  status: z.string(),
  displayStatus: text,
  createdAt: time,
  trackingInfo: z.array(z.object({ company: text, number: text, url: text })),
});

const isIn = (currency: string, transactions: readonly { readonly currency: string }[]): boolean =>
  transactions.every((one) => one.currency === currency);

const orderFields = z.object({
  id,
  name: z.string(),
  createdAt: time,
  updatedAt: time,
  cancelledAt: time.nullish(),
  closed: z.boolean(),
  test: z.boolean(),
  note: text,
  // The following fields are null if the app is not approved for customer data.
  email: text,
  customer: z.object({ id, firstName: text, lastName: text }).nullish(),
  shippingAddress: z
    .object({
      name: text,
      address1: text,
      address2: text,
      city: text,
      province: text,
      zip: text,
      countryCodeV2: text,
    })
    .nullish(),
  billingAddress: z.object({ name: text }).nullish(),
  presentmentCurrencyCode: z.string(),
  taxesIncluded: z.boolean(),
  displayFinancialStatus: text,
  displayFulfillmentStatus: z.string(),
  returnStatus: z.string(),
  totalDiscountsSet: bag.nullish(),
  totalTaxSet: bag.nullish(),
  totalPriceSet: bag,
  netPaymentSet: bag,
  shippingLines: z.object({ pageInfo: page, nodes: z.array(shippingLine) }),
  lineItems: z.object({ pageInfo: page, nodes: z.array(line) }),
  transactions: z.array(transaction),
  refunds: z.array(refund),
});

/** Amounts are in the single currency of the order; a transaction in another is not supported. */
export const order = orderFields.refine((one) => isIn(one.presentmentCurrencyCode, one.transactions));
/** The minimum of an order that determines its position in a list. */
export const placedOrder = orderFields.pick({ id: true, createdAt: true, updatedAt: true });

const suggestedShipping = z.object({ amountSet: bag, taxSet: bag });

/** A document with the schema of its response. */
const userErrors = z.array(z.object({ field: z.array(z.string()).nullish(), message: z.string() }));

export const queries = {
  shop: {
    document: documents.shop,
    answer: z.object({ shop: z.object({ id, name: z.string(), myshopifyDomain: z.string() }) }),
  },
  orders: {
    document: documents.orders,
    answer: z.object({
      currentAppInstallation: z.object({ accessScopes: z.array(z.object({ handle: z.string() })) }),
      // Each is parsed on its own, so that one in another format does not fail its page.
      orders: z.object({ pageInfo: page, nodes: z.array(z.unknown()) }),
    }),
  },
  order: { document: documents.order, answer: z.object({ order: order.nullable() }) },
  lines: {
    document: documents.lines,
    answer: z.object({ order: orderFields.pick({ lineItems: true }).nullable() }),
  },
  shippingLines: {
    document: documents.shippingLines,
    answer: z.object({ order: orderFields.pick({ shippingLines: true }).nullable() }),
  },
  shipments: {
    document: documents.shipments,
    answer: z.object({
      order: z
        .object({ fulfillments: z.array(shipment.extend({ fulfillmentLineItems: shippedLines })) })
        .nullable(),
    }),
  },
  manyShipments: {
    document: documents.manyShipments,
    answer: z.object({ order: z.object({ fulfillments: z.array(shipment) }).nullable() }),
  },
  shippedLines: {
    document: documents.shippedLines,
    answer: z.object({ fulfillment: z.object({ fulfillmentLineItems: shippedLines }).nullable() }),
  },
  moneyMoved: {
    document: documents.moneyMoved,
    answer: z.object({
      order: orderFields
        .pick({ presentmentCurrencyCode: true, transactions: true, refunds: true })
        .refine((one) => isIn(one.presentmentCurrencyCode, one.transactions))
        .nullable(),
    }),
  },
  suggestion: {
    document: documents.suggestion,
    answer: z.object({
      order: z
        .object({
          taxesIncluded: z.boolean(),
          ofLines: z.object({ amountSet: bag }).nullish(),
          ofShipping: z.object({ shipping: suggestedShipping }).nullish(),
        })
        .nullable(),
    }),
  },
  beforeRefund: {
    document: documents.beforeRefund,
    answer: z.object({
      order: z
        .object({
          taxesIncluded: z.boolean(),
          transactions: z.array(z.object({ id, gateway: text })),
          suggestedRefund: z
            .object({
              shipping: suggestedShipping,
              refundLineItems: z.array(
                z.object({
                  lineItem: z.object({ id, unfulfilledQuantity: z.int() }),
                  location: z.object({ id }).nullish(),
                }),
              ),
            })
            .nullable(),
        })
        .nullable(),
    }),
  },
  webhooks: {
    document: documents.webhooks,
    answer: z.object({
      webhookSubscriptions: z.object({
        nodes: z.array(z.object({ id: z.string(), topic: z.string(), uri: z.string() })),
      }),
    }),
  },
  createWebhook: {
    document: documents.createWebhook,
    answer: z.object({
      webhookSubscriptionCreate: z.object({
        webhookSubscription: z.object({ id: z.string() }).nullable(),
        userErrors,
      }),
    }),
  },
  deleteWebhook: {
    document: documents.deleteWebhook,
    answer: z.object({ webhookSubscriptionDelete: z.object({ userErrors }) }),
  },
  refund: {
    document: documents.refund,
    answer: z.object({
      refundCreate: z.object({
        refund: z
          .object({
            id,
            note: text,
            createdAt: time.nullish(),
            processedAt: time,
            transactions: z.object({ pageInfo: page, nodes: z.array(transaction) }),
          })
          .nullable(),
        userErrors,
      }),
    }),
  },
} as const;

export const readWebhookBody = webhookBodyOf(z.object({ id: z.int().transform(String) }));

export type WireUserErrors = z.infer<typeof userErrors>;
export type WireOrder = z.infer<typeof orderFields>;
export type WireLine = z.infer<typeof line>;
export type WireShippingLine = z.infer<typeof shippingLine>;
export type SuggestedShipping = z.infer<typeof suggestedShipping>;
export type ShippedLines = z.infer<typeof shippedLines>;
export type WireShipment = z.infer<typeof shipment>;
export type WireTransaction = z.infer<typeof transaction>;
export type WireRefund = z.infer<typeof refund>;
export type WireError = NonNullable<z.infer<typeof envelope>['errors']>[number];
export type BeforeRefund = NonNullable<z.infer<(typeof queries.beforeRefund)['answer']>['order']>;
