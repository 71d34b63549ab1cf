import type { Orders, Refunding, RefundInstruction } from '@switchboard/domain/ports';
import { buildInstruction } from './calls.js';
import type { ContractContext } from './contract-context.js';

const AMOUNT = 7;
const ORDERS_MAX = 20;

interface RefundablePayment {
  readonly buildInstruction: () => RefundInstruction;
  remainingMinor: number;
  used: number;
}

/**
 * Instructions to refund a small amount, each on the order with the fewest refunds among those that the store
 * refunds as requested: a store returns a limited number of refunds per order.
 */
export function refundInstructionSource(
  bench: ContractContext,
  orders: Orders,
  refunds: Refunding,
): () => Promise<RefundInstruction> {
  let sources: Promise<readonly RefundablePayment[]> | undefined;
  return async () => {
    const all = await (sources ??= listRefundablePayments(bench, orders, refunds));
    const remaining = all.filter(({ remainingMinor }) => remainingMinor >= AMOUNT);
    const [source] = remaining.sort((one, other) => one.used - other.used);
    if (!source) throw new Error('no order can be refunded');
    source.remainingMinor -= AMOUNT;
    source.used++;
    return source.buildInstruction();
  };
}

async function listRefundablePayments(
  { open, value }: ContractContext,
  orders: Orders,
  refunds: Refunding,
): Promise<readonly RefundablePayment[]> {
  const found: RefundablePayment[] = [];
  let token: string | undefined;
  do {
    const page = value(await orders.list(open(), { sort: '-created_at' }, { limit: 50, token }));
    for (const { externalId, currency, payments } of page.orders) {
      const [payment] = payments;
      const remainingMinor = (payment?.refundable.amountMinor ?? 0) - AMOUNT;
      if (!payment?.refundableOnline || payments.length > 1 || remainingMinor < AMOUNT) continue;
      const make = () => buildInstruction(externalId, payment.id, currency, AMOUNT);
      const tried = await refunds.refund(open(), make());
      if (tried.ok) found.push({ buildInstruction: make, remainingMinor, used: 1 });
      if (found.length === ORDERS_MAX) return found;
    }
    token = page.next;
  } while (token !== undefined);
  return found;
}
