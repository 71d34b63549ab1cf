import type { Random } from '../random.js';
import type { FulfillmentStatus, OrderStatus, Payment, PaymentStatus } from './order.js';

/** The course of an order: its status, payment and fulfillment. */
export interface OrderScenario {
  readonly status: OrderStatus;
  readonly payment_status: PaymentStatus;
  readonly fulfillment_status: FulfillmentStatus;
  readonly refunded?: 'part' | 'all';
  /** Scenarios require a minimum age: an order of this morning cannot have been returned yet. */
  readonly minimumAgeDays: number;
}

const scenario = (
  [status, payment_status, fulfillment_status]: readonly [OrderStatus, PaymentStatus, FulfillmentStatus],
  minimumAgeDays = 0,
  refunded?: 'part' | 'all',
): OrderScenario => ({
  status,
  payment_status,
  fulfillment_status,
  minimumAgeDays,
  ...(refunded ? { refunded } : {}),
});

const SCENARIOS: readonly (readonly [weight: number, story: OrderScenario])[] = [
  [34, scenario(['completed', 'paid', 'fulfilled'], 4)],
  [26, scenario(['open', 'paid', 'unfulfilled'])],
  [6, scenario(['open', 'paid', 'partial'], 2)],
  [7, scenario(['open', 'authorized', 'unfulfilled'])],
  [6, scenario(['open', 'pending', 'unfulfilled'])],
  [4, scenario(['open', 'partially_paid', 'unfulfilled'])],
  [8, scenario(['completed', 'paid', 'fulfilled'], 8, 'part')],
  [5, scenario(['completed', 'paid', 'returned'], 10, 'all')],
  [3, scenario(['cancelled', 'paid', 'unfulfilled'], 2, 'all')],
  [5, scenario(['cancelled', 'voided', 'unfulfilled'], 1)],
  [4, scenario(['cancelled', 'failed', 'unfulfilled'], 1)],
];

export function pickScenario(random: Random, ageDays: number): OrderScenario {
  return random.pickWeighted(SCENARIOS.filter(([, { minimumAgeDays }]) => minimumAgeDays <= ageDays));
}

export function paymentsFor(
  random: Random,
  { payment_status }: OrderScenario,
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
