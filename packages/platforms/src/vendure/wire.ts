import { z } from 'zod';

const id = z.string().min(1);
const time = z.iso.datetime().transform((text) => new Date(text));
/** A whole number of units of the server's precision; on SQLite it may have a fraction. */
const parts = z.number();
const name = z.string().nullish();

export const failures = z.array(
  z.object({
    message: z.string(),
    path: z.array(z.union([z.string(), z.number()])).nullish(),
    extensions: z.object({ code: z.string().nullish() }).nullish(),
  }),
);

const refund = z.object({
  id,
  total: parts,
  state: z.string(),
  reason: z.string().nullish(),
  paymentId: id,
  createdAt: time,
});

export const order = z.object({
  id,
  code: z.string(),
  state: z.string(),
  orderPlacedAt: time,
  updatedAt: time,
  currencyCode: z.string(),
  shipping: parts,
  total: parts,
  totalWithTax: parts,
  customer: z.object({ id, firstName: name, lastName: name, emailAddress: name }).nullable(),
  shippingAddress: z
    .object({
      fullName: name,
      streetLine1: name,
      streetLine2: name,
      city: name,
      province: name,
      postalCode: name,
      countryCode: name,
    })
    .nullable(),
  lines: z.array(
    z.object({
      id,
      quantity: z.int(),
      orderPlacedQuantity: z.int(),
      unitPriceWithTax: parts,
      proratedLinePriceWithTax: parts,
      productVariant: z.object({ sku: z.string(), name: z.string() }),
    }),
  ),
  shippingLines: z.array(
    z.object({ id, discountedPriceWithTax: parts, shippingMethod: z.object({ name: z.string() }) }),
  ),
  discounts: z.array(z.object({ amount: parts })),
  fulfillments: z
    .array(
      z.object({
        id,
        state: z.string(),
        method: name,
        trackingCode: name,
        createdAt: time,
        lines: z.array(z.object({ orderLineId: id, quantity: z.int() })),
      }),
    )
    .nullish(),
  payments: z
    .array(
      z.object({
        id,
        method: z.string(),
        state: z.string(),
        amount: parts,
        refunds: z.array(refund),
      }),
    )
    .nullable(),
});

const REFUND_FIELDS = 'id total state reason paymentId createdAt';
const ORDER_FIELDS = `
  id code state orderPlacedAt updatedAt currencyCode shipping total totalWithTax
  customer { id firstName lastName emailAddress }
  shippingAddress { fullName streetLine1 streetLine2 city province postalCode countryCode }
  lines { id quantity orderPlacedQuantity unitPriceWithTax proratedLinePriceWithTax productVariant { sku name } }
  shippingLines { id discountedPriceWithTax shippingMethod { name } }
  discounts { amount }
  fulfillments { id state method trackingCode createdAt lines { orderLineId quantity } }
  payments { id method state amount refunds { ${REFUND_FIELDS} } }`;

/** The number of decimals of the server's amounts, for every currency. */
const settings = z.object({ serverConfig: z.object({ moneyStrategyPrecision: z.int().min(0).max(10) }) });
const SETTINGS = 'globalSettings { serverConfig { moneyStrategyPrecision } }';

export const queries = {
  settings: { query: `query { ${SETTINGS} }`, answer: z.object({ globalSettings: settings }) },
  account: {
    query: 'query { activeChannel { id code } orders(options: { take: 1 }) { totalItems } }',
    answer: z.object({ activeChannel: z.object({ id, code: z.string() }) }),
  },
  orders: {
    query: `query ($options: OrderListOptions!) { ${SETTINGS} orders(options: $options) { totalItems items { ${ORDER_FIELDS} } } }`,
    answer: z.object({
      globalSettings: settings,
      // Each is parsed on its own, so that one in another format does not fail its page.
      orders: z.object({ totalItems: z.int(), items: z.array(z.unknown()) }),
    }),
  },
  order: {
    query: `query ($id: ID!) { ${SETTINGS} order(id: $id) { ${ORDER_FIELDS} } }`,
    answer: z.object({ globalSettings: settings, order: order.nullable() }),
  },
  refund: {
    query: `mutation ($input: RefundOrderInput!) {
      refundOrder(input: $input) { __typename ... on Refund { ${REFUND_FIELDS} } ... on ErrorResult { errorCode message } }
    }`,
    answer: z.object({
      refundOrder: z.union([
        refund.extend({ __typename: z.literal('Refund') }),
        z.object({ __typename: z.string(), errorCode: z.string(), message: z.string() }),
      ]),
    }),
  },
} as const;

export type WireOrder = z.infer<typeof order>;
export type WireRefund = z.infer<typeof refund>;
