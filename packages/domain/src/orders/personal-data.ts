import type { Call } from '../call.js';
import type { Address, RemoteOrder } from './order.js';

const MASK = '***';
const masked = (text: string | null): string | null => (text === null ? null : MASK);

/** The order as this key may see it: without names, e-mails and addresses where its policy hides them. */
export const visibleTo = (call: Call, order: RemoteOrder): RemoteOrder =>
  call.actor.kind === 'key' && call.actor.key.policy.hidePersonalData ? withoutPersonalData(order) : order;

/** Every name, e-mail and address masked; what was absent stays absent. The country stays: it names nobody. */
export const withoutPersonalData = (order: RemoteOrder): RemoteOrder => ({
  ...order,
  customer: { id: order.customer.id, name: masked(order.customer.name), email: masked(order.customer.email) },
  emails: order.emails.map(() => MASK),
  shippingAddress: order.shippingAddress && maskedAddress(order.shippingAddress),
});

const maskedAddress = (address: Address): Address => ({
  name: masked(address.name),
  line1: masked(address.line1),
  line2: masked(address.line2),
  city: masked(address.city),
  region: masked(address.region),
  postalCode: masked(address.postalCode),
  country: address.country,
});
