import type { Scope } from '../access/scope.js';
import type { ApprovalKind, ApprovalStatus } from '../approvals/approval.js';
import type { ClientEndReason } from '../clients/authorized-client.js';
import type { PublicDeliveryStatus } from '../deliveries/delivery.js';
import type { ProfileId, WorkspaceId } from '../ids.js';
import type { NextCall } from '../next-call.js';
import type { FulfillmentStatus, OrderStatus, PaymentStatus } from '../orders/order.js';
import type { PostStatus } from '../posts/post.js';
import type { RefundStatus } from '../refunds/refund.js';
import type { EventType } from './event.js';

interface EventError {
  readonly code: string;
  readonly message: string;
}

/** What identifies a connection for a person as well. */
interface ConnectionEventData {
  readonly connection_id: string;
  readonly platform: string;
  readonly account: string;
}

interface ConnectionConnectedData extends ConnectionEventData {
  readonly reconnected: boolean;
  readonly connect_session_id?: string;
}

interface ConnectionDegradedData extends ConnectionEventData {
  readonly reason: 'app_missing' | 'permission_missing' | 'ends_soon';
  readonly expires_at: string | null;
  readonly days_left: number | null;
  readonly missing_permissions: readonly string[];
  readonly next: NextCall;
}

interface ConnectionNeedsReauthData extends ConnectionEventData {
  readonly reason: 'grant_ended' | 'token_refused' | 'refresh_lost';
  /** The posts that wait for it: how many, and the first of them. */
  readonly affected_posts: { readonly count: number; readonly ids: readonly string[] };
  readonly next: NextCall;
}

interface ConnectionDisconnectedData {
  readonly connection_id: string;
  readonly platform: string;
  readonly cancelled_deliveries: number;
}

export interface DeliveryEventData {
  readonly delivery_id: string;
  readonly connection_id: string;
  readonly platform: string;
  readonly status: PublicDeliveryStatus;
  readonly external_id: string | null;
  readonly url: string | null;
  readonly error: EventError | null;
}

export interface PostEventData {
  readonly post_id: string;
  readonly status: PostStatus;
  readonly scheduled_at: string;
  readonly deliveries: readonly DeliveryEventData[];
  /** Those that this change cancelled. */
  readonly cancelled_delivery_ids?: readonly string[];
  /** Those of which this check found a part to be removed at the platform. */
  readonly removed_delivery_ids?: readonly string[];
}

interface MediaFailedData {
  readonly media_id: string;
  readonly error: EventError;
  readonly posts: readonly { readonly post_id: string; readonly delivery_ids: readonly string[] }[];
}

interface OrderEventData {
  readonly order_id: string;
  readonly connection_id: string;
  readonly platform: string;
  readonly external_id: string;
  readonly number: string;
  readonly status: OrderStatus;
  readonly payment_status: PaymentStatus;
  readonly fulfillment_status: FulfillmentStatus;
  readonly total: { readonly amount: string; readonly currency: string };
  readonly refunded: { readonly amount: string; readonly currency: string };
  /** By the store's clock, like the other. */
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RefundEventData {
  readonly refund_id: string;
  readonly order_id: string;
  readonly connection_id: string;
  readonly platform: string;
  readonly status: RefundStatus;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly money_moved: boolean | null;
  readonly external_id: string | null;
  readonly error: EventError | null;
  /** Who recorded its outcome, where a person did. */
  readonly resolved_by?: string;
  readonly resolution_note?: string | null;
}

interface ApprovalData {
  readonly approval_id: string;
  readonly kind: ApprovalKind;
  readonly status: ApprovalStatus;
  /** What is to be decided, in one sentence. */
  readonly summary: string;
  readonly post_id?: string;
  readonly refund_id?: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly expires_at: string;
}

interface ApprovalRequestedData extends ApprovalData {
  /** Added where the event is read by, or sent to, who may decide (`addDecisionUrls`). Never stored. */
  readonly decision_url?: string;
}

interface ApprovalDecidedData extends ApprovalData {
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly note: string | null;
}

interface KeyCreatedData {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

interface KeyRotatedData {
  readonly key_id: string;
  readonly new_key_id: string;
  readonly name: string;
  readonly old_key_ends_at: string;
}

interface KeyRevokedData {
  readonly key_id: string;
  readonly name: string;
}

/** The name and the host are what the client states. */
interface ClientEventData {
  readonly client_id: string;
  readonly name: string;
  readonly host: string;
}

interface ClientAuthorizedData extends ClientEventData {
  readonly key_id: string;
  readonly scopes: readonly Scope[];
}

interface ClientRevokedData extends ClientEventData {
  readonly reason: ClientEndReason | null;
}

interface WebhookDisabledData {
  readonly webhook_id: string;
  readonly url: string;
  readonly description: string | null;
  readonly reason: 'gone' | 'failing';
  readonly failing_since: string | null;
  readonly next: NextCall;
}

type OfEach<Types extends EventType, Data> = { readonly [Type in Types]: Data };

export type RefundEventType = Extract<EventType, `refund.${string}`>;
type DeliveryEventType = Extract<EventType, `post.delivery_${string}`>;
type PostEventType = Exclude<Extract<EventType, `post.${string}`>, DeliveryEventType>;

/**
 * The public payload of each type of event, in wire names: enough to act on without another call, and never a
 * secret. A field may be added, with a schema in the operations; none is removed, renamed or changed.
 */
export type EventDataOf = OfEach<'connection.connected' | 'connection.restored', ConnectionConnectedData> &
  OfEach<'connection.degraded', ConnectionDegradedData> &
  OfEach<'connection.needs_reauth', ConnectionNeedsReauthData> &
  OfEach<'connection.disconnected', ConnectionDisconnectedData> &
  OfEach<PostEventType, PostEventData> &
  OfEach<DeliveryEventType, { readonly post_id: string } & DeliveryEventData> &
  OfEach<'media.failed', MediaFailedData> &
  OfEach<'order.created' | 'order.updated', OrderEventData> &
  OfEach<RefundEventType, RefundEventData> &
  OfEach<'approval.requested', ApprovalRequestedData> &
  OfEach<'approval.decided', ApprovalDecidedData> &
  OfEach<'key.created', KeyCreatedData> &
  OfEach<'key.rotated', KeyRotatedData> &
  OfEach<'key.revoked', KeyRevokedData> &
  OfEach<'client.authorized', ClientAuthorizedData> &
  OfEach<'client.revoked', ClientRevokedData> &
  OfEach<'webhook.disabled', WebhookDisabledData>;

/** An event of one of these types, without its workspace and profile. */
export type EventBody<Types extends EventType> = {
  readonly [Type in Types]: { readonly type: Type; readonly data: EventDataOf[Type] };
}[Types];

/** An event as a change appends it. */
export type NewEvent = EventBody<EventType> & {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId | null;
  /** The trace that it belongs to (W3C Trace Context), where that is not the trace of the running call. */
  readonly traceparent?: string | undefined;
};
