import { actorName, keyOf, type Call } from '../call.js';
import { formatAmount } from '../money.js';
import { formatOrderId } from '../orders/order-id.js';
import type { Tools, Tx } from '../ports/index.js';
import type { RefundInstruction } from '../ports/refunding.js';
import type { RemoteOrderKey } from '../ports/refunds.js';
import type { ProfileId } from '../ids.js';
import type { RefundEventData, RefundEventType } from '../events/event-data.js';
import type { PreparedRefund } from './prepare-refund.js';
import type { Refund } from './refund.js';

/** A new refund, reserved and not sent. Its id is the reference that the store receives. */
export function newRefund(tools: Pick<Tools, 'clock' | 'ids'>, call: Call, prepared: PreparedRefund): Refund {
  const { connection, order, amount, extent, payments, reason, note, notifyCustomer, quote } = prepared;
  const id = tools.ids.next('rfd');
  return {
    id,
    workspaceId: call.workspaceId,
    connectionId: connection.id,
    platform: connection.platform,
    accountServer: connection.accountServer,
    remoteAccountId: connection.account.id,
    orderExternalId: order.externalId,
    status: 'pending',
    amount,
    extent,
    payments,
    restock: extent.lines.some(({ restock }) => restock),
    reason,
    note,
    notifyCustomer,
    moneyMoved: null,
    reference: id,
    externalId: null,
    source: 'switchboard',
    resolvedBy: null,
    error: null,
    quoteId: quote?.id ?? null,
    keyLineage: keyOf(call).lineage,
    approval: null,
    heldBy: null,
    createdBy: actorName(call),
    createdAt: tools.clock.now(),
    firstSentAt: null,
    sentAt: null,
    nextAttemptAt: null,
    settledAt: null,
    epoch: 0,
  };
}

export const ledgerKeyOf = ({
  workspaceId,
  platform,
  accountServer,
  remoteAccountId,
  orderExternalId,
}: RemoteOrderKey): RemoteOrderKey => ({
  workspaceId,
  platform,
  accountServer,
  remoteAccountId,
  orderExternalId,
});

export const orderIdOf = ({
  connectionId,
  orderExternalId,
}: Pick<Refund, 'connectionId' | 'orderExternalId'>): string =>
  formatOrderId({ connectionId, externalId: orderExternalId });

/**
 * The instruction to the store, derived only from the refund itself, so that every process sends the same.
 */
export const instructionOf = ({ extent, amount, ...refund }: Refund): RefundInstruction => ({
  orderExternalId: refund.orderExternalId,
  reference: refund.reference,
  kind: extent.kind,
  amountMinor: amount.amountMinor,
  currency: amount.currency,
  payments: refund.payments,
  lines: extent.lines,
  shippingMinor: extent.shippingMinor,
  restock: refund.restock,
  reason: refund.reason,
  note: refund.note,
  notifyCustomer: refund.notifyCustomer,
});

/** Who recorded the outcome, where a person did. */
export type RefundResolution = Pick<RefundEventData, 'resolved_by' | 'resolution_note'>;

export const appendRefundEvent = (
  tx: Pick<Tx, 'events'>,
  type: RefundEventType,
  refund: Refund,
  profileId: ProfileId | null,
  resolution: RefundResolution = {},
): Promise<void> =>
  tx.events.append({
    workspaceId: refund.workspaceId,
    type,
    profileId,
    data: {
      refund_id: refund.id,
      order_id: orderIdOf(refund),
      connection_id: refund.connectionId,
      platform: refund.platform,
      status: refund.status,
      amount: { amount: formatAmount(refund.amount), currency: refund.amount.currency },
      money_moved: refund.moneyMoved,
      external_id: refund.externalId,
      error: refund.error && { code: refund.error.code, message: refund.error.message },
      ...resolution,
    },
  });
