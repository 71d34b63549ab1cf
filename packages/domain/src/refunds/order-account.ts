import type { Connection } from '../connections/connection.js';
import { money, type Money } from '../money.js';
import type { RemoteOrder, RemoteRefund } from '../orders/order.js';
import type { OrderContext } from '../orders/read-order.js';
import type { Ports } from '../ports/index.js';
import type { OrderAccount, RemoteOrderKey } from '../ports/refunds.js';
import { inFlightStatuses, type Refund } from './refund.js';

/** The ledger's data about an order that was read. */
export async function findOrderAccount(
  ports: Pick<Ports, 'refunds'>,
  { connection, order }: Pick<OrderContext, 'connection' | 'order'>,
): Promise<OrderAccount | undefined> {
  const [found] = await ports.refunds.listAccounts(connection.workspaceId, [orderKeyOf(connection, order)]);
  return found;
}

export const orderKeyOf = (
  { workspaceId, platform, accountServer, account }: Connection,
  { externalId: orderExternalId }: RemoteOrder,
): RemoteOrderKey => ({
  workspaceId,
  platform,
  accountServer,
  remoteAccountId: account.id,
  orderExternalId,
});

/**
 * The store's order corrected by the ledger: the refundable amount is reduced by refunds that the store does
 * not list, because a person recorded them or their outcome is unknown, and by amounts that the store does
 * not show yet. A listed refund of this service has the status of the ledger. Without an account, or with one
 * in another currency, the order stays unchanged.
 */
export function applyOrderAccount<One extends RemoteOrder>(
  order: One,
  account: OrderAccount | undefined,
): One {
  if (account?.entry.currency !== order.currency) return order;
  const { entry, recorded, made } = account;
  const unlisted = recorded.filter((refund) => !order.refunds.some((listed) => isSame(listed, refund)));
  const refundedMinor = sum(unlisted.filter(({ status }) => status === 'succeeded'));
  const heldMinor = sum(unlisted) - refundedMinor;

  const { captured, refunded, refundable } = order.totals;
  const refundedInAll = Math.max(entry.refundedMinor, refunded.amountMinor + refundedMinor);
  const left = Math.min(
    refundable.amountMinor - refundedMinor - heldMinor,
    captured.amountMinor - refundedInAll - heldMinor,
  );
  const of = (amountMinor: number): Money => money(Math.max(0, amountMinor), order.currency);
  return {
    ...order,
    totals: { ...order.totals, refunded: of(refundedInAll), refundable: of(left) },
    lines: order.lines.map((line) => ({
      ...line,
      refundableQuantity: Math.max(0, line.refundableQuantity - unitsOf(unlisted, line.id)),
    })),
    shippingLines: subtractShipping(order, unlisted),
    payments: order.payments.map((payment) => {
      const partOf = (refunds: readonly Refund[]) =>
        refunds
          .flatMap(({ payments }) => payments.filter(({ id }) => id === payment.id))
          .reduce((total, { amountMinor }) => total + amountMinor, 0);
      const succeeded = unlisted.filter(({ status }) => status === 'succeeded');
      return {
        ...payment,
        refunded: of(payment.refunded.amountMinor + partOf(succeeded)),
        refundable: of(payment.refundable.amountMinor - partOf(unlisted)),
      };
    }),
    refunds: order.refunds.map((listed) => {
      const own = made.find((refund) => isSame(listed, refund));
      const ours = recorded.find((refund) => isSame(listed, refund));
      if (!ours) return { ...listed, own };
      const status = inFlightStatuses.includes(ours.status) ? 'pending' : listed.status;
      return { ...listed, own, status, moneyMoved: ours.moneyMoved };
    }),
  };
}

/** The account without refunds in flight: the part that a quote depends on. */
export const settledAccount = (account: OrderAccount | undefined): OrderAccount | undefined =>
  account && { ...account, recorded: account.recorded.filter(({ status }) => status === 'succeeded') };

const isSame = (
  listed: RemoteRefund,
  { externalId, reference }: Pick<Refund, 'externalId' | 'reference'>,
): boolean => listed.externalId === externalId || listed.reference === reference;

const sum = (refunds: readonly Refund[]): number =>
  refunds.reduce((total, { amount }) => total + amount.amountMinor, 0);

/** With an amount, lines only define what is restocked. */
const unitsOf = (refunds: readonly Refund[], lineId: string): number =>
  refunds
    .flatMap(({ extent }) => (extent.kind === 'amount' ? [] : extent.lines.filter(({ id }) => id === lineId)))
    .reduce((total, { quantity }) => total + quantity, 0);

function subtractShipping(
  { shippingLines, currency }: RemoteOrder,
  refunds: readonly Refund[],
): RemoteOrder['shippingLines'] {
  let rest = refunds.reduce((total, { extent }) => total + extent.shippingMinor, 0);
  return shippingLines.map((line) => {
    const minor = Math.min(rest, line.refundable.amountMinor);
    rest -= minor;
    return { ...line, refundable: money(line.refundable.amountMinor - minor, currency) };
  });
}
