import type { EventId, WebhookId, WorkspaceId } from '../ids.js';
import type { Event } from '../events/event.js';
import type { PageRequest, Rows } from '../page.js';
import type {
  DueWebhookDelivery,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryId,
  WebhookDeliveryStatus,
} from '../webhooks/webhook.js';
import type { EventPosition } from './events.js';
import type { Secret } from '../secret.js';

/** The endpoints of a workspace, and the state of their deliveries. */
export interface Webhooks {
  find(workspaceId: WorkspaceId, id: WebhookId): Promise<Webhook | null>;
  /** Newest first. */
  list(workspaceId: WorkspaceId, page: PageRequest): Promise<Rows<Webhook>>;
  /** Those that this service disabled, newest first. */
  listStopped(workspaceId: WorkspaceId, page: PageRequest): Promise<Rows<Webhook>>;
  count(workspaceId: WorkspaceId): Promise<number>;
  /** `position`: it receives the events after it. */
  insert(webhook: Webhook, secret: SealedWebhookSecret, position: EventPosition): Promise<void>;
  /**
   * Null when the row is gone or has another version. An endpoint that is enabled again receives the events
   * after `position`. A change of its URL, or disabling it, ends a running lane.
   */
  update(
    workspaceId: WorkspaceId,
    id: WebhookId,
    changes: WebhookChanges,
    options?: { readonly version?: number | undefined; readonly position?: EventPosition | undefined },
  ): Promise<Webhook | null>;
  /** The latest secret first; a replaced one until its end. */
  findSecrets(workspaceId: WorkspaceId, id: WebhookId): Promise<readonly SealedWebhookSecret[]>;
  /** The replaced secret stays valid for `overlapSeconds`; one that it had replaced ends now. */
  replaceSecret(
    workspaceId: WorkspaceId,
    id: WebhookId,
    secret: SealedWebhookSecret,
    overlapSeconds: number,
  ): Promise<Webhook | null>;
  /** With its deliveries. */
  delete(workspaceId: WorkspaceId, id: WebhookId, version?: number): Promise<boolean>;

  findDelivery(
    workspaceId: WorkspaceId,
    webhookId: WebhookId,
    id: WebhookDeliveryId,
  ): Promise<WebhookDelivery | null>;
  /** Newest first. */
  listDeliveries(
    workspaceId: WorkspaceId,
    webhookId: WebhookId,
    filter: { readonly statuses?: readonly WebhookDeliveryStatus[] | undefined },
    page: PageRequest,
  ): Promise<Rows<WebhookDelivery>>;
  /** Starts it again: pending, due now, without attempts. */
  restartDelivery(workspaceId: WorkspaceId, id: WebhookDeliveryId): Promise<WebhookDelivery | null>;
  /** Delivers the events of a range of positions again. False while another range is not finished. */
  startReplay(workspaceId: WorkspaceId, id: WebhookId, range: ReplayRange): Promise<boolean>;
  /** Fails the pending deliveries of an endpoint that is disabled, and ends its range of redeliveries. */
  failPending(workspaceId: WorkspaceId, id: WebhookId): Promise<void>;

  /**
   * Claims the lanes of endpoints with work: a due delivery, or an event after their position. An endpoint is in
   * one lane of one process at a time; the one that was served longest ago comes first, and those whose latest
   * attempts failed come last, at most `failing` of them.
   */
  claimLanes(
    room: { readonly lanes: number; readonly failing: number },
    leaseSeconds: number,
  ): Promise<readonly WebhookLane[]>;
  extendLane(lane: WebhookLane, leaseSeconds: number): Promise<boolean>;
  /** Ends the lease. No-op when another process has the lane. */
  releaseLane(lane: WebhookLane): Promise<void>;
  /** The lane's state, locked until the end of the transaction; null when the lane is lost. */
  lockLane(lane: WebhookLane): Promise<WebhookLaneState | null>;
  /**
   * Adds a pending delivery for each event and advances the position. An event that has a delivery is skipped,
   * or, in a replay, delivered again.
   */
  addDeliveries(
    lane: WebhookLane,
    events: readonly (Pick<Event, 'id' | 'type'> & { readonly deliveryId: WebhookDeliveryId })[],
    progress:
      | { readonly kind: 'position'; readonly position: EventPosition }
      | { readonly kind: 'replay'; readonly remaining: ReplayRange | null },
  ): Promise<void>;
  /** Due deliveries of the lane, longest due first, with their events. */
  listDueDeliveries(lane: WebhookLane, limit: number): Promise<readonly DueWebhookDelivery[]>;
  /**
   * Records attempts, and since when all of them have failed. No attempt is made for `throttleSeconds`. Null when
   * the lane is lost.
   */
  settleDeliveries(
    lane: WebhookLane,
    attempts: readonly SettledWebhookAttempt[],
    throttleSeconds: number,
  ): Promise<{ readonly failingSince: Date | null } | null>;
  /**
   * Since when the oldest event waits for any enabled endpoint: a pending delivery, or an event after the position
   * that its filters select, among the next ones. Null without one.
   */
  findOldestUndelivered(): Promise<Date | null>;
}

/** Undefined fields stay as they are. */
type WebhookChanges = {
  readonly [
    Field in
      | 'url'
      | 'urlSetBy'
      | 'events'
      | 'profileIds'
      | 'description'
      | 'hidePersonalData'
      | 'disabledReason'
  ]?: Webhook[Field] | undefined;
};

/** Opens only for this workspace, endpoint and generation. */
export interface SealedWebhookSecret {
  readonly generation: number;
  readonly sealed: Uint8Array;
}

/** Positions: the events after the first, up to and including the second. */
export interface ReplayRange {
  readonly after: EventPosition;
  readonly through: EventPosition;
}

/** A claimed lane. The fence increases with every claim. */
export interface WebhookLane {
  readonly webhook: Webhook;
  readonly fence: number;
}

export interface WebhookLaneState {
  readonly webhook: Webhook;
  readonly position: EventPosition;
  readonly replay: ReplayRange | null;
  /** Deliveries that are still to be sent, or to be sent again. */
  readonly pending: number;
}

export interface SettledWebhookAttempt {
  readonly id: WebhookDeliveryId;
  readonly attempt: WebhookAttempt;
  readonly outcome:
    | { readonly kind: 'delivered' }
    | { readonly kind: 'retry'; readonly inSeconds: number }
    | { readonly kind: 'failed' };
}

/**
 * Sends to endpoints under the rules of `Outbound`: no forbidden address, no redirect, a deadline for
 * everything. Signs as the Standard Webhooks specification says, with every secret.
 */
export interface WebhookClient {
  /** Null when an endpoint may have this URL; `dns` when its name cannot be resolved. */
  checkUrl(url: string): Promise<'invalid_url' | 'address_refused' | 'dns' | null>;
  send(message: WebhookMessage): Promise<WebhookResponse>;
}

export interface WebhookMessage {
  readonly url: string;
  /** Connections are reused for messages with the same pool only. */
  readonly pool: WebhookId;
  /** The message id: the same for every attempt. */
  readonly id: EventId;
  readonly timestamp: Date;
  readonly body: string;
  readonly secrets: readonly Secret[];
  /** Sent as `traceparent`, where the event belongs to a trace. */
  readonly traceparent: string | null;
  readonly signal: AbortSignal;
}

export type WebhookResponse =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly latencyMs: number;
      /** The first kilobyte of the body as text. Every character that HTML or a terminal interprets is escaped. */
      readonly head: string;
      readonly retryAfter: string | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly error:
        | Exclude<WebhookAttempt['error'], 'status' | 'disabled' | 'event_expired' | null>
        | 'aborted';
      readonly latencyMs: number;
    };
