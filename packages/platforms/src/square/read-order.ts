import {
  money,
  type Money,
  type PostalAddress,
  type FulfillmentStatus,
  type OrderLine,
  type OrderShipment,
  type OrderShippingLine,
  type OrderStatus,
  type RemoteOrder,
} from '@switchboard/platform-kit';
import { sumMoney } from '@switchboard/platform-kit/exact-amount';
import { readTrackingUrl } from '@switchboard/platform-kit/tracking-url';
import { unanimous } from '@switchboard/platform-kit/unanimous';
import { customerOf, type RelatedRecords } from './read-related.js';
import { paymentStatusOf, readOrderPayments } from './order-payments.js';
import type { WireCustomer, WireOrder } from './wire.js';

type SaleOrder = WireOrder & { readonly total_money: Money };

/**
 * Whether it is a sale. A refund creates an order of its own, which only contains the returns; an exchange
 * has both. A draft is not placed yet.
 */
export const isSale = (order: WireOrder): order is SaleOrder =>
  order.state !== 'DRAFT' &&
  order.total_money != null &&
  !((order.returns ?? []).length > 0 && (order.line_items ?? []).length === 0);

export function readOrder(order: SaleOrder, belongings: RelatedRecords): RemoteOrder {
  const total = order.total_money;
  const { currency } = total;
  const none = money(0, currency);
  const paid = readOrderPayments(order, currency, belongings);
  const customerId = customerOf(order, belongings.payments);
  const customer = customerId === null ? undefined : belongings.customers.get(customerId);
  const recipients = recipientsOf(order);
  const emails = [
    customer?.email_address,
    ...paid.payments.map(({ buyerEmail }) => buyerEmail),
    ...recipients.map((recipient) => recipient.email_address),
  ].flatMap((email) => email || []);
  const lines = (order.line_items ?? []).map((line, at) => readLine(line, at, none));
  const shippingLines = shippingLinesOf(order, none);
  const sum = (amounts: readonly Money[]) => sumMoney(amounts, currency);
  return {
    externalId: order.id,
    number: order.reference_id ?? order.id,
    status: STATUSES[order.state ?? ''] ?? 'open',
    paymentStatus: paymentStatusOf(order.state ?? null, total, paid),
    fulfillmentStatus: fulfillmentOf(order),
    rawStatus: [order.state, ...new Set(paid.payments.map(({ status }) => status))].filter(Boolean).join('/'),
    currency,
    pricesIncludeTax: unanimous((order.taxes ?? []).map(({ type }) => TAX_TYPES[type ?? ''] ?? null)),
    totals: {
      discount: order.total_discount_money ?? none,
      shipping: sum(shippingLines.map((line) => line.total)),
      tax: order.total_tax_money ?? none,
      total,
      captured: sum(paid.payments.map(({ captured }) => captured)),
      refunded: sum(paid.payments.map(({ refunded }) => refunded)),
      refundable: sum(paid.payments.map(({ refundable }) => refundable)),
    },
    customer: {
      id: customerId,
      name:
        nameOf(customer) ??
        recipients[0]?.display_name ??
        paid.payments.find(({ buyerName }) => buyerName)?.buyerName ??
        null,
      email: emails[0] ?? null,
    },
    emails: [...new Set(emails)],
    lines,
    shippingLines,
    shippingAddress: addressOf(recipients),
    payments: paid.payments.map(
      ({ status: _status, buyerEmail: _email, buyerName: _name, ...payment }) => payment,
    ),
    refunds: paid.refunds,
    shipments: shipmentsOf(order, lines),
    note: null,
    createdAt: order.created_at,
    updatedAt: order.updated_at ?? order.created_at,
    url: null,
  };
}

const STATUSES: Readonly<Record<string, OrderStatus>> = { COMPLETED: 'completed', CANCELED: 'cancelled' };

/** A measured quantity (2.25 pounds of apples) is one line of one. */
function readLine(line: NonNullable<WireOrder['line_items']>[number], at: number, none: Money): OrderLine {
  const counted = Number(line.quantity);
  const quantity = Number.isSafeInteger(counted) ? counted : 1;
  const total = line.total_money ?? none;
  return {
    id: line.uid ?? String(at),
    sku: null,
    title: [line.name, line.variation_name].filter(Boolean).join(', ') || 'Custom amount',
    quantity,
    refundableQuantity: quantity,
    unitPrice: quantity === counted ? (line.base_price_money ?? none) : (line.gross_sales_money ?? total),
    total,
  };
}

/**
 * A shipping fee is recorded as a service charge. If nothing is shipped, the charge is for something else.
 */
function shippingLinesOf(order: WireOrder, none: Money): readonly OrderShippingLine[] {
  const ships = (order.fulfillments ?? []).some(({ type }) => type === 'SHIPMENT' || type === 'DELIVERY');
  const charges = (order.service_charges ?? []).filter(({ type }) => ships && type !== 'AUTO_GRATUITY');
  return charges.map(({ uid, name, applied_money: applied, total_money: total }, at) => ({
    id: uid ?? String(at),
    title: name ?? 'Service charge',
    total: applied ?? total ?? none,
    refundable: applied ?? total ?? none,
  }));
}

/** Over the counter there are no fulfillments: the order's completion hands over the goods. */
function fulfillmentOf({ fulfillments, state }: WireOrder): FulfillmentStatus {
  const living = (fulfillments ?? []).filter((one) => one.state !== 'CANCELED' && one.state !== 'FAILED');
  const done = living.filter((one) => one.state === 'COMPLETED').length;
  if ((fulfillments ?? []).length === 0) return state === 'COMPLETED' ? 'fulfilled' : 'unfulfilled';
  if (done === 0) return 'unfulfilled';
  return done === living.length ? 'fulfilled' : 'partial';
}

/** What is shipped, not what is picked up. */
const shipmentsOf = (order: WireOrder, lines: readonly OrderLine[]): readonly OrderShipment[] =>
  (order.fulfillments ?? []).flatMap(
    ({ uid, type, state, entries, shipment_details: details, ...rest }, at) =>
      type === 'SHIPMENT'
        ? {
            id: uid ?? String(at),
            status: SHIPMENT_STATES[state ?? ''] ?? 'pending',
            carrier: details?.carrier ?? null,
            trackingNumber: details?.tracking_number ?? null,
            trackingUrl: readTrackingUrl(details?.tracking_url),
            lineItems:
              rest.line_item_application === 'ENTRY_LIST'
                ? (entries ?? []).flatMap(({ line_item_uid: id, quantity }) => countedLine(id, quantity))
                : lines.map(({ id, quantity }) => ({ id, quantity })),
            createdAt: details?.shipped_at ?? details?.placed_at ?? null,
          }
        : [],
  );

/** A measured quantity is one line of one, as in the order. */
function countedLine(id: string | null | undefined, quantity: string | null | undefined) {
  const counted = Number(quantity);
  return id ? [{ id, quantity: Number.isSafeInteger(counted) ? counted : 1 }] : [];
}

const SHIPMENT_STATES: Readonly<Record<string, OrderShipment['status']>> = {
  COMPLETED: 'shipped',
  CANCELED: 'cancelled',
  FAILED: 'failed',
};

const recipientsOf = ({ fulfillments }: WireOrder) =>
  (fulfillments ?? []).flatMap(
    ({ shipment_details: shipment, delivery_details: delivery, pickup_details: pickup }) =>
      shipment?.recipient ?? delivery?.recipient ?? pickup?.recipient ?? [],
  );

const nameOf = (customer: WireCustomer | undefined): string | null =>
  [customer?.given_name, customer?.family_name].filter(Boolean).join(' ') || customer?.company_name || null;

function addressOf(recipients: ReturnType<typeof recipientsOf>): PostalAddress | null {
  const recipient = recipients.find(({ address }) => address);
  if (!recipient?.address) return null;
  const { address } = recipient;
  return {
    name: recipient.display_name ?? null,
    line1: address.address_line_1 ?? null,
    line2: address.address_line_2 ?? null,
    city: address.locality ?? null,
    region: address.administrative_district_level_1 ?? null,
    postalCode: address.postal_code ?? null,
    country: address.country ?? null,
  };
}

/** Another type is for reporting only. */
const TAX_TYPES: Readonly<Record<string, boolean>> = { ADDITIVE: false, INCLUSIVE: true };
