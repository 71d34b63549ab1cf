import type { OrderWebhooks } from './order-webhooks.js';
import type { Session, PlatformFailureCode } from './session.js';
import type { OrderNoteCode } from '../reason-codes.js';
import type { Result } from '../result.js';
import type {
  RemoteOrder,
  OrderShipment,
  OrderStatus,
  PaymentStatus,
  FulfillmentStatus,
} from '../orders/order.js';

export interface Orders {
  /**
   * The filters that the store itself applies. All filters are applied again on this side, because real
   * stores ignore those they do not know.
   */
  readonly filters: readonly (keyof OrderQuery)[];
  /**
   * Its page tokens are page numbers, so that an order which leaves the list shifts another one past the
   * reader. Lists then continue from the time of the last listed order, where the store applies the filter of
   * that time exactly to the millisecond.
   */
  readonly countsPages?: boolean | undefined;
  /** A page in the requested order. `next` continues it; absent at the end. */
  list(
    session: Session,
    query: OrderQuery,
    page: { readonly limit: number; readonly token?: string | undefined },
  ): Promise<
    Result<
      {
        readonly orders: readonly RemoteOrder[];
        readonly next?: string | undefined;
        readonly notes?: readonly OrderNoteCode[] | undefined;
      },
      PlatformFailureCode
    >
  >;
  /** Null when the store has no such order. */
  get(session: Session, externalId: string): Promise<Result<RemoteOrder | null, PlatformFailureCode>>;
  /**
   * The shipments of an order that `list` and `get` return without them, because they take requests of their own.
   * Omitted where they come with the order.
   */
  listShipments?(
    session: Session,
    externalId: string,
  ): Promise<Result<readonly OrderShipment[], PlatformFailureCode>>;
  /** Omitted where the store sends none that can be verified. */
  readonly webhooks?: OrderWebhooks | undefined;
}

export type OrderSort = '-created_at' | 'created_at' | '-updated_at' | 'updated_at';

export interface OrderQuery {
  readonly sort: OrderSort;
  readonly statuses?: readonly OrderStatus[] | undefined;
  readonly paymentStatuses?: readonly PaymentStatus[] | undefined;
  readonly fulfillmentStatuses?: readonly FulfillmentStatus[] | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly number?: string | undefined;
  readonly email?: string | undefined;
  readonly minTotalMinor?: number | undefined;
  readonly maxTotalMinor?: number | undefined;
  readonly currency?: string | undefined;
}
