import type { OrderDocuments } from './documents.js';
import { sumExact, type ExactAmount } from '@switchboard/platform-kit/exact-amount';
import type { WireInvoice } from './wire.js';

/** The payment that represents all money that the store cannot send back itself. */
export const OFFLINE = 'offline';

/** Magento's own offline payment methods. */
const OFFLINE_METHODS = new Set(['banktransfer', 'cashondelivery', 'checkmo', 'free', 'purchaseorder']);

/**
 * The sources of an order's money: every invoice that was captured online can be refunded separately, and the
 * rest is one payment. An invoice without a transaction was captured offline, regardless of the method.
 */
export function sourcesOf({ order, invoices }: Pick<OrderDocuments, 'order' | 'invoices'>): {
  readonly online: readonly WireInvoice[];
  readonly offlinePaid: ExactAmount;
} {
  const isOffline = OFFLINE_METHODS.has(order.payment?.method ?? '');
  const online = isOffline ? [] : invoices.filter(({ transaction_id: id }) => id);
  const paidOnline = sumExact(online.map(({ base_grand_total: total }) => total));
  return { online, offlinePaid: order.base_total_paid - paidOnline };
}
