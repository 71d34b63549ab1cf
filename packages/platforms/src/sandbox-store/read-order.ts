import {
  money,
  type OrderShipment,
  type PostalAddress,
  type RemoteOrder,
  type RemoteRefund,
} from '@switchboard/platform-kit';
import { readTrackingUrl } from '@switchboard/platform-kit/tracking-url';
import type { WireAddress, WireOrder, WireRefund } from './wire.js';

export function readOrder(wire: WireOrder): RemoteOrder {
  const amount = (minor: number) => money(minor, wire.currency);
  const guest = wire.billing_address;
  return {
    externalId: wire.id,
    number: wire.number,
    status: wire.status,
    paymentStatus: wire.payment_status,
    fulfillmentStatus: wire.fulfillment_status,
    rawStatus: wire.status,
    currency: wire.currency,
    pricesIncludeTax: wire.prices_include_tax ?? null,
    totals: {
      discount: amount(wire.discount_total),
      shipping: amount(wire.shipping_total),
      tax: amount(wire.tax_total),
      total: amount(wire.total),
      captured: amount(wire.captured_total),
      refunded: amount(wire.refunded_total),
      refundable: amount(wire.refundable_total),
    },
    customer: {
      id: wire.customer?.id ?? null,
      name: wire.customer?.name ?? guest.name ?? null,
      email: wire.customer?.email ?? guest.email ?? null,
    },
    emails: [...new Set([wire.customer?.email, guest.email].filter((email) => typeof email === 'string'))],
    lines: wire.line_items.map((line) => ({
      id: line.id,
      sku: line.sku,
      title: line.title,
      quantity: line.quantity,
      refundableQuantity: Math.max(0, line.quantity - line.refunded_quantity),
      unitPrice: amount(line.unit_price),
      total: amount(line.total),
    })),
    shippingLines: wire.shipping_lines.map((line) => ({
      id: line.id,
      title: line.title,
      total: amount(line.total),
      refundable: amount(Math.max(0, line.total - line.refunded)),
    })),
    shippingAddress: wire.shipping_address && readAddress(wire.shipping_address),
    payments: wire.payments.map((payment) => ({
      id: payment.id,
      gateway: payment.gateway,
      method: payment.method,
      captured: amount(payment.captured),
      refunded: amount(payment.refunded),
      refundable: amount(payment.refundable),
      refundableOnline: payment.online,
    })),
    refunds: wire.refunds.map(readRefund),
    shipments: wire.shipments?.map(readShipment) ?? null,
    note: wire.note,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    url: wire.url,
  };
}

export const readRefund = (wire: WireRefund): RemoteRefund => ({
  externalId: wire.id,
  status: wire.status,
  amount: money(wire.amount, wire.currency),
  reference: wire.reference,
  reason: wire.reason,
  paymentId: wire.payment_id,
  moneyMoved: wire.money_moved,
  createdAt: wire.created_at,
});

const readShipment = (wire: NonNullable<WireOrder['shipments']>[number]): OrderShipment => ({
  id: wire.id,
  status: wire.status,
  carrier: wire.carrier,
  trackingNumber: wire.tracking_number,
  trackingUrl: readTrackingUrl(wire.tracking_url),
  lineItems: wire.line_items,
  createdAt: wire.created_at,
});

const readAddress = (wire: WireAddress): PostalAddress => ({
  name: wire.name ?? null,
  line1: wire.line1 ?? null,
  line2: wire.line2 ?? null,
  city: wire.city ?? null,
  region: wire.region ?? null,
  postalCode: wire.postal_code ?? null,
  country: wire.country ?? null,
});
