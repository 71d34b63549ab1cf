import type { Call } from '../call.js';
import type { Refund } from '../refunds/refund.js';
import type { PostalAddress, RemoteOrder } from './order.js';

const MASK = '***';
const masked = (text: string | null): string | null => (text === null ? null : MASK);

export const hidesPersonalData = ({ actor }: Call): boolean =>
  actor.kind === 'key' && actor.key.policy.hidePersonalData;

/** The order as this key may see it: without personal data where its policy hides it. */
export const redactForCaller = (call: Call, order: RemoteOrder): RemoteOrder =>
  hidesPersonalData(call) ? withoutPersonalData(order) : order;

/** The store's text of a refund may contain personal data; text sent through a key belongs to its owner. */
export const redactRefundForCaller = (call: Call, refund: Refund): Refund =>
  hidesPersonalData(call) && refund.source === 'store'
    ? { ...refund, reason: masked(refund.reason), note: masked(refund.note) }
    : refund;

/**
 * Masks every name, e-mail, address and free text, and details of the payment method; absent values stay
 * absent. The country stays, because it identifies no person. A customer's id stays unless it is an e-mail or
 * a telephone number.
 */
export const withoutPersonalData = (order: RemoteOrder): RemoteOrder => ({
  ...order,
  customer: {
    id: order.customer.id !== null && /@|^\+/.test(order.customer.id) ? MASK : order.customer.id,
    name: masked(order.customer.name),
    email: masked(order.customer.email),
  },
  emails: order.emails.map(() => MASK),
  shippingAddress: order.shippingAddress && maskedAddress(order.shippingAddress),
  payments: order.payments.map((payment) => ({ ...payment, method: masked(payment.method) })),
  refunds: order.refunds.map((refund) => ({ ...refund, reason: masked(refund.reason) })),
  note: masked(order.note),
});

const maskedAddress = (address: PostalAddress): PostalAddress => ({
  name: masked(address.name),
  line1: masked(address.line1),
  line2: masked(address.line2),
  city: masked(address.city),
  region: masked(address.region),
  postalCode: masked(address.postalCode),
  country: address.country,
});
