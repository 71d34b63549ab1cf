import type { Order, OrderLine } from './seed-orders.js';
import { requireProtectedData, globalId, requireScope, type ShopifyAccess } from './access.js';
import { connectionOf, type PageArguments } from './connection.js';
import { moneyBag, type MinorUnits } from './money.js';
import {
  financialStatusOf,
  fulfillmentStatusOf,
  isManual,
  netOf,
  receivedOf,
  refundedOf,
  totalOf,
  type Refund,
  type Transaction,
} from './order.js';
import { suggestedRefund, type SuggestionInput } from './suggested-refund.js';

interface PresentContext {
  readonly access: ShopifyAccess;
  readonly shopCurrency: string;
  readonly locationId: number;
}

const time = (at: Date | null): string | null => at && at.toISOString().replace(/\.\d+Z$/, 'Z');
/** `first` only truncates such a list: there is no further page. */
const truncatedList =
  <Item>(items: readonly Item[], present: (item: Item) => unknown) =>
  ({ first }: PageArguments) =>
    items.slice(0, first ?? undefined).map(present);

/**
 * An order in the Admin schema's shape; missing fields are not simulated, and non-nullable ones fail with an
 * error.
 */
export function presentOrder(order: Order, looking: PresentContext) {
  const { access } = looking;
  const bag = (minor: MinorUnits) => moneyBag(minor, order.currency, looking.shopCurrency);
  const present = (transaction: Transaction) => presentTransaction(transaction, order, bag);
  const address = () => ({
    name: () => requireProtectedData(access, 'Ada Buyer'),
    address1: () => requireProtectedData(access, '1 Main St'),
    address2: () => requireProtectedData(access, null),
    city: 'Lyon',
    province: null,
    zip: () => requireProtectedData(access, '69001'),
    country: 'France',
    countryCodeV2: 'FR',
  });
  return {
    id: globalId('Order', order.id),
    name: order.name,
    createdAt: time(order.createdAt),
    processedAt: time(order.createdAt),
    updatedAt: time(order.updatedAt),
    cancelledAt: time(order.cancelledAt),
    closedAt: time(order.closedAt),
    closed: order.closedAt !== null,
    test: order.test,
    note: order.note,
    email: () => requireProtectedData(access, order.email),
    customer: () => {
      if (!order.customer) return null;
      requireScope(access, 'read_customers', 'customer');
      const { id, firstName, lastName } = order.customer;
      return {
        id: globalId('Customer', id),
        firstName: () => requireProtectedData(access, firstName),
        lastName: () => requireProtectedData(access, lastName),
      };
    },
    shippingAddress: address,
    billingAddress: address,
    currencyCode: looking.shopCurrency,
    presentmentCurrencyCode: order.currency,
    taxesIncluded: order.taxesIncluded,
    displayFinancialStatus: financialStatusOf(order),
    displayFulfillmentStatus: fulfillmentStatusOf(order),
    returnStatus: 'NO_RETURN',
    totalDiscountsSet: bag(order.lines.reduce((sum, { discount }) => sum + discount, 0)),
    totalTaxSet: bag([...order.lines, ...order.shippingLines].reduce((sum, { tax }) => sum + tax, 0)),
    totalPriceSet: bag(totalOf(order)),
    netPaymentSet: bag(receivedOf(order) - refundedOf(order, true)),
    lineItems: (page: PageArguments) =>
      connectionOf(order.lines, page, { present: (line) => presentOrderLine(line, bag) }),
    shippingLines: (page: PageArguments) =>
      connectionOf(order.shippingLines, page, { present: (line) => presentShippingLine(line, bag) }),
    transactions: truncatedList(order.transactions, present),
    fulfillments: truncatedList(order.fulfillments, presentFulfillment),
    refunds: truncatedList(order.refunds, (refund) => presentRefund(refund, order, looking)),
    suggestedRefund: (input: SuggestionInput) => {
      const suggested = suggestedRefund(order, input, { bag, locationId: looking.locationId });
      const mayLook = () => requireScope(access, 'read_locations', 'location');
      const refundLineItems = suggested.refundLineItems.map((line) => ({
        ...line,
        location: () => (mayLook(), line.location()),
      }));
      return { ...suggested, refundLineItems };
    },
  };
}

export const presentFulfillment = (fulfillment: Order['fulfillments'][number]) => ({
  id: globalId('Fulfillment', fulfillment.id),
  status: fulfillment.status,
  displayStatus: fulfillment.displayStatus,
  createdAt: time(fulfillment.createdAt),
  trackingInfo: truncatedList(fulfillment.tracking ? [fulfillment.tracking] : [], (one) => one),
  fulfillmentLineItems: (page: PageArguments) =>
    connectionOf(
      fulfillment.lines.map((line) => ({ ...line, id: line.lineId })),
      page,
      {
        present: ({ id, quantity }) => ({
          id: globalId('FulfillmentLineItem', id),
          quantity,
          lineItem: { id: globalId('LineItem', id) },
        }),
      },
    ),
});

type MoneyBag = (minor: MinorUnits) => unknown;

const presentOrderLine = (line: OrderLine, bag: MoneyBag) => ({
  id: globalId('LineItem', line.id),
  sku: line.sku,
  title: line.title,
  name: line.title,
  quantity: line.quantity,
  refundableQuantity: line.quantity - line.refunded,
  unfulfilledQuantity: line.unfulfilled,
  originalUnitPriceSet: bag(line.unit),
  originalTotalSet: bag(line.unit * line.quantity),
  discountedTotalSet: bag(netOf(line)),
  discountAllocations:
    line.unit * line.quantity === netOf(line)
      ? []
      : [{ allocatedAmountSet: bag(line.unit * line.quantity - netOf(line)) }],
  taxLines: [{ title: 'VAT', priceSet: bag(line.tax) }],
});

const presentShippingLine = (line: Order['shippingLines'][number], bag: MoneyBag) => ({
  id: globalId('ShippingLine', line.id),
  title: line.title,
  discountedPriceSet: bag(line.price),
  currentDiscountedPriceSet: bag(line.price - line.refunded),
  taxLines: [{ title: 'VAT', priceSet: bag(line.tax) }],
});

function presentTransaction(transaction: Transaction, order: Order, bag: MoneyBag): object {
  const parent = order.transactions.find(({ id }) => id === transaction.parentId);
  return {
    id: globalId('OrderTransaction', transaction.id),
    kind: transaction.kind,
    status: transaction.status,
    gateway: transaction.gateway,
    manualPaymentGateway: isManual(transaction.gateway),
    amountSet: bag(transaction.amount),
    parentTransaction: () => parent && presentTransaction(parent, order, bag),
    createdAt: time(transaction.createdAt),
    processedAt: time(transaction.createdAt),
    test: order.test,
  };
}

export function presentRefund(refund: Refund, order: Order, looking: PresentContext) {
  const bag = (minor: MinorUnits) => moneyBag(minor, order.currency, looking.shopCurrency);
  return {
    id: globalId('Refund', refund.id),
    note: refund.note,
    createdAt: time(refund.createdAt),
    processedAt: time(refund.processedAt),
    updatedAt: time(refund.processedAt),
    transactions: (page: PageArguments) =>
      connectionOf(refund.transactions, page, { present: (one) => presentTransaction(one, order, bag) }),
  };
}
