import type { KeyPolicy } from '../../src/access/policy.js';
import type { Call } from '../../src/call.js';
import { formatOrderId } from '../../src/orders/order-id.js';
import { quoteRefund, type QuoteRefundCommand } from '../../src/refunds/quote-refund.js';
import { refundOrder, type RefundOrderCommand } from '../../src/refunds/refund-order.js';
import type { Refund } from '../../src/refunds/refund.js';
import { sendRefund } from '../../src/refunds/send-refund.js';
import { memoryStore, type MemoryStoreOptions } from './memory-store.js';
import { remoteOrder } from './order-builder.js';
import { createStoreFixture } from './store-fixture.js';

/** A workspace with one store that contains one paid order of 49.90. */
export function createRefundFixture(
  options: Partial<MemoryStoreOptions> = {},
  policy: Partial<KeyPolicy> = {},
) {
  const s = createStoreFixture();
  const store = memoryStore({ clock: s.clock, orders: [remoteOrder()], ...options });
  const connection = s.connect(store);
  const key = s.key(policy);
  const call = s.call(key);
  const orderId = formatOrderId({ connectionId: connection.id, externalId: 'so_1' });
  const refund = async (command: RefundOrderCommand = {}, as: Call = call) => {
    const result = await refundOrder(s.ports, as, { orderId, ...command });
    return result.ok ? result.value : { ...result.failure, failed: true as const };
  };
  const quote = async (command: Partial<QuoteRefundCommand> = {}, as: Call = call) => {
    const result = await quoteRefund(s.ports, as, { orderId, ...command });
    if (!result.ok) throw new Error(result.failure.code);
    return result.value;
  };
  const made = async (command: RefundOrderCommand = {}, as: Call = call): Promise<Refund> => {
    const result = await refund(command, as);
    if ('failed' in result) throw new Error(result.code);
    return result;
  };
  const account = () =>
    s.accountOf({ ...connection, remoteAccountId: connection.account.id, orderExternalId: 'so_1' });
  /** Runs the worker while anything is due. */
  const work = async () => {
    for (const { id, workspaceId } of await s.ports.refunds.listUnsettled(100))
      await sendRefund(s.ports, workspaceId, id);
  };
  const keyed = (name: string, fingerprint?: string): Call => s.call(key, s.withKey(key, name, fingerprint));
  const types = () => s.events().map(({ type }) => type);
  return { s, store, connection, key, call, orderId, refund, quote, made, account, work, keyed, types };
}

/** An order's account without reservations or refunds. */
export const emptyAccount = { reservedMinor: 0, refundedMinor: 0, inFlight: null };
