import type { FulfillmentStatus, PaymentStatus } from '@switchboard/domain';

/** Shopify's own word for an order's payments, which is for display: what can be refunded is counted. */
export const FINANCIAL_STATUSES: Readonly<Record<string, PaymentStatus>> = {
  AUTHORIZED: 'authorized',
  EXPIRED: 'failed',
  PAID: 'paid',
  PARTIALLY_PAID: 'partially_paid',
  PARTIALLY_REFUNDED: 'partially_refunded',
  PENDING: 'pending',
  REFUNDED: 'refunded',
  VOIDED: 'voided',
};

export const FULFILLMENT_STATUSES: Readonly<Record<string, FulfillmentStatus>> = {
  FULFILLED: 'fulfilled',
  // There is nothing to be sent.
  FULFILLMENT_NOT_REQUIRED: 'fulfilled',
  PARTIALLY_FULFILLED: 'partial',
};
