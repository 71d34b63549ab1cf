import type { Random } from '../random.js';
import type { FulfillmentStatus, OrderStatus, Payment, PaymentStatus } from './order.js';

/** How an order went: what became of it, of its payment and of the goods. */
export interface Story {
  readonly status: OrderStatus;
  readonly payment_status: PaymentStatus;
  readonly fulfillment_status: FulfillmentStatus;
  readonly refunded?: 'part' | 'all';
  /** A story needs time: an order of this morning has not come back yet. */
  readonly minimumAgeDays: number;
}

const story = (
  [status, payment_status, fulfillment_status]: readonly [OrderStatus, PaymentStatus, FulfillmentStatus],
  minimumAgeDays = 0,
  refunded?: 'part' | 'all',
): Story => ({
  status,
  payment_status,
  fulfillment_status,
  minimumAgeDays,
  ...(refunded ? { refunded } : {}),
});

const STORIES: readonly (readonly [weight: number, story: Story])[] = [
  [34, story(['completed', 'paid', 'fulfilled'], 4)],
  [26, story(['open', 'paid', 'unfulfilled'])],
  [6, story(['open', 'paid', 'partial'], 2)],
  [7, story(['open', 'authorized', 'unfulfilled'])],
  [6, story(['open', 'pending', 'unfulfilled'])],
  [4, story(['open', 'partially_paid', 'unfulfilled'])],
  [8, story(['completed', 'paid', 'fulfilled'], 8, 'part')],
  [5, story(['completed', 'paid', 'returned'], 10, 'all')],
  [3, story(['cancelled', 'paid', 'unfulfilled'], 2, 'all')],
  [5, story(['cancelled', 'voided', 'unfulfilled'], 1)],
  [4, story(['cancelled', 'failed', 'unfulfilled'], 1)],
];

export function someStory(random: Random, ageDays: number): Story {
  return random.pickWeighted(STORIES.filter(([, { minimumAgeDays }]) => minimumAgeDays <= ageDays));
}

/** The payments of an order that has come this far. */
export function paymentsFor(
  random: Random,
  { payment_status }: Story,
  total: number,
  createdAt: string,
): Payment[] {
  const pay = (amount: number, status: Payment['status'], online: boolean): Payment => ({
    id: random.id('pay_'),
    gateway: online ? 'sandpay' : 'bank_transfer',
    method: online
      ? `${random.pick(['Visa', 'Mastercard', 'Amex'])} •••• ${random.int(1000, 9999)}`
      : 'Bank transfer',
    online,
    status,
    amount,
    captured: status === 'captured' ? amount : 0,
    created_at: createdAt,
  });
  const firstPart = Math.floor(total * (0.2 + 0.6 * random.next()));
  switch (payment_status) {
    case 'pending':
      return [pay(total, 'pending', false)];
    case 'authorized':
      return [pay(total, 'authorized', true)];
    case 'voided':
      return [pay(total, 'voided', true)];
    case 'failed':
      return [pay(total, 'failed', true)];
    case 'partially_paid':
      return [pay(firstPart, 'captured', true), pay(total - firstPart, 'pending', false)];
    case 'paid':
    case 'partially_refunded':
    case 'refunded':
      if (random.chance(0.12))
        return [pay(firstPart, 'captured', true), pay(total - firstPart, 'captured', random.chance(0.6))];
      return [pay(total, 'captured', random.chance(0.82))];
  }
}
