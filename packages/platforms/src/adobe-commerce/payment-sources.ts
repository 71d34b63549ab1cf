import type { OrderDocuments } from './documents.js';
import { sumExact, type ExactAmount } from '../kit/exact-amount.js';
import type { WireInvoice } from './wire.js';

/** The payment that stands for all money which the store cannot send back by itself. */
export const OFFLINE = 'offline';

/** Methods of Magento itself by which nobody pays online. */
const OFFLINE_METHODS = new Set(['banktransfer', 'cashondelivery', 'checkmo', 'free', 'purchaseorder']);

/**
 * Where an order's money came from: every invoice that was captured online can be paid back by itself, and the rest is one.
 * An invoice without a transaction was captured elsewhere, whatever the method.
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
