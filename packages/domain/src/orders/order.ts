import type { Money } from '../money.js';
import type { Refund } from '../refunds/refund.js';

export type OrderStatus = 'open' | 'completed' | 'cancelled';
export const paymentStatuses = [
  'pending',
  'authorized',
  'paid',
  'partially_paid',
  'partially_refunded',
  'refunded',
  'voided',
  'failed',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
export type FulfillmentStatus = 'unfulfilled' | 'partial' | 'fulfilled' | 'returned';

/** `total` is after all discounts and includes tax; `unitPrice` is the store's price before them. */
export interface OrderLine {
  readonly id: string;
  readonly sku: string | null;
  readonly title: string;
  readonly quantity: number;
  readonly refundableQuantity: number;
  readonly unitPrice: Money;
  readonly total: Money;
}

export interface OrderShippingLine {
  readonly id: string;
  readonly title: string;
  readonly total: Money;
  readonly refundable: Money;
}

export interface OrderPayment {
  readonly id: string;
  readonly gateway: string;
  readonly method: string | null;
  readonly captured: Money;
  readonly refunded: Money;
  readonly refundable: Money;
  /** Whether the store itself can return the money. */
  readonly refundableOnline: boolean;
}

export interface PostalAddress {
  readonly name: string | null;
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly region: string | null;
  readonly postalCode: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
}

/**
 * A refund as the store lists it. `reference` is the value that this service sent, where the store keeps one.
 */
export interface RemoteRefund {
  readonly externalId: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly amount: Money;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly paymentId: string | null;
  /** Whether the store moved money; null when unknown. */
  readonly moneyMoved: boolean | null;
  readonly createdAt: Date;
  /** Set where this service made the refund. */
  readonly own?: Pick<Refund, 'id' | 'connectionId'> | undefined;
}

export type ShipmentStatus = 'pending' | 'shipped' | 'delivered' | 'cancelled' | 'failed';

/** Goods that a store handed over, or is about to. */
export interface OrderShipment {
  readonly id: string;
  readonly status: ShipmentStatus;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  /** An http(s) address. */
  readonly trackingUrl: string | null;
  /** The lines of the order, by their id; empty where the store does not list them. */
  readonly lineItems: readonly { readonly id: string; readonly quantity: number }[];
  readonly createdAt: Date | null;
}

export type OrderTotals = Readonly<
  Record<'discount' | 'shipping' | 'tax' | 'total' | 'captured' | 'refunded' | 'refundable', Money>
>;

/** An order as a store's adapter reads it, all amounts in one currency. */
export interface RemoteOrder {
  readonly externalId: string;
  readonly number: string;
  readonly status: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly rawStatus: string;
  readonly currency: string;
  /** Whether the store's prices included tax when the order was placed; null where the store does not state it. */
  readonly pricesIncludeTax: boolean | null;
  /** Of the store, which includes tax in some of them or not; see `addUpTotals`. */
  readonly totals: OrderTotals;
  readonly customer: {
    readonly id: string | null;
    readonly name: string | null;
    readonly email: string | null;
  };
  /** Every searchable e-mail address: the customer's and the billing one, guests included. */
  readonly emails: readonly string[];
  readonly lines: readonly OrderLine[];
  readonly shippingLines: readonly OrderShippingLine[];
  readonly shippingAddress: PostalAddress | null;
  readonly payments: readonly OrderPayment[];
  readonly refunds: readonly RemoteRefund[];
  /**
   * Null where they were not read: the store does not report them, reports them only for a single order, or
   * did not return them.
   */
  readonly shipments: readonly OrderShipment[] | null;
  readonly note: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly url: string | null;
}
