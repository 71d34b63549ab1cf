import type { Orders, Refunding, RefundInstruction } from '@switchboard/domain';
import { instructionOf } from './calls.js';
import type { Bench } from './bench.js';

const AMOUNT = 7;
const ORDERS_MAX = 20;

interface Source {
  readonly make: () => RefundInstruction;
  leftMinor: number;
  used: number;
}

/** Instructions to refund a small amount, each of the order that was refunded least often among those that the store refunds as asked: a store
 * shows no more than so many refunds of one. */
export function refundablePayments(
  bench: Bench,
  orders: Orders,
  refunds: Refunding,
): () => Promise<RefundInstruction> {
  let sources: Promise<readonly Source[]> | undefined;
  return async () => {
    const all = await (sources ??= readSources(bench, orders, refunds));
    const left = all.filter(({ leftMinor }) => leftMinor >= AMOUNT);
    const [source] = left.sort((one, other) => one.used - other.used);
    if (!source) throw new Error('no order can be refunded');
    source.leftMinor -= AMOUNT;
    source.used++;
    return source.make();
  };
}

async function readSources(
  { open, value }: Bench,
  orders: Orders,
  refunds: Refunding,
): Promise<readonly Source[]> {
  const found: Source[] = [];
  let token: string | undefined;
  do {
    const page = value(await orders.list(open(), { sort: '-created_at' }, { limit: 50, token }));
    for (const { externalId, currency, payments } of page.orders) {
      const [payment] = payments;
      const leftMinor = (payment?.refundable.amountMinor ?? 0) - AMOUNT;
      if (!payment?.refundableOnline || payments.length > 1 || leftMinor < AMOUNT) continue;
      const make = () => instructionOf(externalId, payment.id, currency, AMOUNT);
      const tried = await refunds.refund(open(), make());
      if (tried.ok) found.push({ make, leftMinor, used: 1 });
      if (found.length === ORDERS_MAX) return found;
    }
    token = page.next;
  } while (token !== undefined);
  return found;
}
