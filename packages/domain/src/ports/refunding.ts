import type { Session, PlatformFailureCode } from './session.js';
import type { Result } from '../result.js';
import type { RefundExtent, RefundPayment, RefundLine } from '../refunds/refund.js';
import type { RemoteOrder, RemoteRefund } from '../orders/order.js';

export interface Refunding {
  /**
   * The store's own calculation of these lines and this shipping, with its taxes and discounts, in the
   * currency's smallest unit. Stores nothing. Omitted where a unit is worth its share of its line's total.
   */
  calculate?(
    session: Session,
    order: RemoteOrder,
    wanted: Pick<RefundInstruction, 'lines' | 'shippingMinor'>,
  ): Promise<Result<{ readonly linesMinor: number; readonly shippingMinor: number }, PlatformFailureCode>>;
  /**
   * Creates the refund at the store. `reference` is stored where the store keeps one, so that `find` can
   * match it. `refund.unclear`: the money may have moved, and its absence at the store proves nothing. It
   * then requires a person, and is never sent again.
   */
  refund(
    session: Session,
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>>;
  /** Looks up whether it was made. Null: certainly not. */
  find?(
    session: Session,
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund | null, PlatformFailureCode>>;
}

export interface RefundInstruction {
  readonly orderExternalId: string;
  readonly reference: string;
  /** How the amount was specified. With `amount` the lines only define what is restocked. */
  readonly kind: RefundExtent['kind'];
  readonly amountMinor: number;
  readonly currency: string;
  readonly payments: readonly RefundPayment[];
  readonly lines: readonly RefundLine[];
  readonly shippingMinor: number;
  readonly restock: boolean;
  readonly reason: string | null;
  readonly note: string | null;
  readonly notifyCustomer: boolean | null;
}
