import type { Documents } from './documents.js';
import { sumOf, type Exact } from '../kit/exact.js';
import type { WireInvoice } from './wire.js';

/** The payment that stands for all money which the store cannot send back by itself. */
export const OFFLINE = 'offline';

/** Methods of Magento itself by which nobody pays online. */
const OFFLINE_METHODS = new Set(['banktransfer', 'cashondelivery', 'checkmo', 'free', 'purchaseorder']);

/**
 * Where an order's money came from: every invoice that was captured online can be paid back by itself, and the rest is one.
 * An invoice without a transaction was captured elsewhere, whatever the method.
 */
export function sourcesOf({ order, invoices }: Pick<Documents, 'order' | 'invoices'>): {
  readonly online: readonly WireInvoice[];
  readonly offlinePaid: Exact;
} {
  const isOffline = OFFLINE_METHODS.has(order.payment?.method ?? '');
  const online = isOffline ? [] : invoices.filter(({ transaction_id: id }) => id);
  const paidOnline = sumOf(online.map(({ base_grand_total: total }) => total));
  return { online, offlinePaid: order.base_total_paid - paidOnline };
}
