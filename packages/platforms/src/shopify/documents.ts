/**
 * Amounts as the customer paid them. A refund has to be in that currency; the shop's own is a conversion.
 */
const MONEY = '{ presentmentMoney { amount } }';

const LINE = `{ id sku title quantity refundableQuantity originalUnitPriceSet ${MONEY} originalTotalSet ${MONEY} discountAllocations { allocatedAmountSet ${MONEY} } taxLines { priceSet ${MONEY} } }`;
const TRANSACTION = `{ id kind status gateway manualPaymentGateway amountSet { presentmentMoney { amount currencyCode } } parentTransaction { id } }`;
const REFUND =
  '{ id note createdAt processedAt transactions(first: 3) { pageInfo { hasNextPage } nodes { id } } }';

const SHIPPING_LINE = `{ id title discountedPriceSet ${MONEY} currentDiscountedPriceSet ${MONEY} taxLines { priceSet ${MONEY} } }`;

/** The sizes of an order's lists that are requested with the order; more is fetched separately. */
export const PAGE_SIZES = { lines: 8, shippingLines: 2, transactions: 5, refunds: 3 } as const;
/** The maximum sizes that are read in total. */
export const LIST_LIMITS = { shippingLines: 50, transactions: 100, refunds: 50, shipments: 100 } as const;
/** Of shipments and of the lines of each that are requested at first. */
export const SHIPMENT_SIZES = { shipments: 10, lines: 10 } as const;

const SHIPMENT = 'id status displayStatus createdAt trackingInfo(first: 1) { company number url }';
const SHIPPED_LINES = '{ pageInfo { hasNextPage endCursor } nodes { quantity lineItem { id } } }';

const ORDER = `{
  id name createdAt updatedAt cancelledAt closed test note email presentmentCurrencyCode taxesIncluded
  displayFinancialStatus displayFulfillmentStatus returnStatus
  customer { id firstName lastName }
  shippingAddress { name address1 address2 city province zip countryCodeV2 }
  billingAddress { name }
  totalDiscountsSet ${MONEY} totalTaxSet ${MONEY} totalPriceSet ${MONEY} netPaymentSet ${MONEY}
  shippingLines(first: ${PAGE_SIZES.shippingLines}) { pageInfo { hasNextPage } nodes ${SHIPPING_LINE} }
  lineItems(first: ${PAGE_SIZES.lines}) { pageInfo { hasNextPage endCursor } nodes ${LINE} }
  transactions(first: ${PAGE_SIZES.transactions}) ${TRANSACTION}
  refunds(first: ${PAGE_SIZES.refunds}) ${REFUND}
}`;

/** All documents ever sent, kept together so that they can be validated against the published schema. */
export const documents = {
  shop: 'query Shop { shop { id name myshopifyDomain } }',

  orders: `query Orders($first: Int!, $after: String, $query: String, $sortKey: OrderSortKeys!, $reverse: Boolean!) {
    currentAppInstallation { accessScopes { handle } }
    orders(first: $first, after: $after, query: $query, sortKey: $sortKey, reverse: $reverse) {
      pageInfo { hasNextPage endCursor } nodes ${ORDER}
    }
  }`,

  order: `query Order($id: ID!) { order(id: $id) ${ORDER} }`,

  lines: `query Lines($id: ID!, $after: String) {
    order(id: $id) { lineItems(first: 80, after: $after) { pageInfo { hasNextPage endCursor } nodes ${LINE} } }
  }`,

  shippingLines: `query ShippingLines($id: ID!) {
    order(id: $id) {
      shippingLines(first: ${LIST_LIMITS.shippingLines}) { pageInfo { hasNextPage } nodes ${SHIPPING_LINE} }
    }
  }`,

  // Not with the order: fifty orders with the lines of their shipments would exceed the cost limit.
  shipments: `query Shipments($id: ID!) {
    order(id: $id) {
      fulfillments(first: ${SHIPMENT_SIZES.shipments}) {
        ${SHIPMENT} fulfillmentLineItems(first: ${SHIPMENT_SIZES.lines}) ${SHIPPED_LINES}
      }
    }
  }`,

  manyShipments: `query ManyShipments($id: ID!) {
    order(id: $id) { fulfillments(first: ${LIST_LIMITS.shipments}) { ${SHIPMENT} } }
  }`,

  shippedLines: `query ShippedLines($id: ID!, $after: String) {
    fulfillment(id: $id) { fulfillmentLineItems(first: 100, after: $after) ${SHIPPED_LINES} }
  }`,

  moneyMoved: `query MoneyMoved($id: ID!) {
    order(id: $id) {
      presentmentCurrencyCode
      transactions(first: ${LIST_LIMITS.transactions}) ${TRANSACTION}
      refunds(first: ${LIST_LIMITS.refunds}) ${REFUND}
    }
  }`,

  // Each separately, to distinguish their totals, and shipping in full: the currency of a shipping amount is
  // undocumented.
  suggestion: `query Suggestion($id: ID!, $lines: [RefundLineItemInput!], $hasLines: Boolean!, $hasShipping: Boolean!) {
    order(id: $id) {
      taxesIncluded
      ofLines: suggestedRefund(refundLineItems: $lines) @include(if: $hasLines) { amountSet ${MONEY} }
      ofShipping: suggestedRefund(refundShipping: true) @include(if: $hasShipping) {
        shipping { amountSet ${MONEY} taxSet ${MONEY} }
      }
    }
  }`,

  beforeRefund: `query BeforeRefund($id: ID!, $lines: [RefundLineItemInput!]) {
    order(id: $id) {
      taxesIncluded
      transactions(first: ${LIST_LIMITS.transactions}) { id gateway }
      suggestedRefund(refundLineItems: $lines, refundShipping: true) {
        shipping { amountSet ${MONEY} taxSet ${MONEY} }
        refundLineItems { lineItem { id unfulfilledQuantity } location { id } }
      }
    }
  }`,

  webhooks: `query Webhooks {
    webhookSubscriptions(first: 250) { nodes { id topic uri } }
  }`,

  // Only the ID is used. Without the time of the change two webhooks of an order would be equal.
  createWebhook: `mutation CreateWebhook($topic: WebhookSubscriptionTopic!, $uri: String!) {
    webhookSubscriptionCreate(topic: $topic, webhookSubscription: {
      uri: $uri, format: JSON, includeFields: ["id", "updated_at"]
    }) { webhookSubscription { id } userErrors { field message } }
  }`,

  deleteWebhook: `mutation DeleteWebhook($id: ID!) {
    webhookSubscriptionDelete(id: $id) { userErrors { field message } }
  }`,

  refund: `mutation Refund($input: RefundInput!, $key: String!) {
    refundCreate(input: $input) @idempotent(key: $key) {
      refund { id note createdAt processedAt transactions(first: 100) { pageInfo { hasNextPage } nodes ${TRANSACTION} } }
      userErrors { field message }
    }
  }`,
} as const;
