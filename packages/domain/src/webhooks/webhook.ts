import type { Event, EventType, EventTypePattern } from '../events/event.js';
import type { EventId, Id, ProfileId, WebhookId, WorkspaceId } from '../ids.js';
import type { SealBinding } from '../ports/vault.js';
import { Secret } from '../secret.js';

/** Why an endpoint receives nothing: a caller disabled it, it responded with 410, or five days of failure. */
export type DisabledReason = 'requested' | 'gone' | 'failing';

/** An endpoint of the caller that receives events. */
export interface Webhook {
  readonly id: WebhookId;
  readonly workspaceId: WorkspaceId;
  readonly url: string;
  /** Who set the URL (`recipientSetter`); null when it is not known. */
  readonly urlSetBy: string | null;
  readonly events: readonly EventTypePattern[];
  /** Only events of these profiles; null for all, including those of no profile. */
  readonly profileIds: readonly ProfileId[] | null;
  readonly description: string | null;
  readonly hidePersonalData: boolean;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Date | null;
  /** Since when every attempt has failed; null after a success. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  readonly version: number;
}

export type WebhookDeliveryId = Id<'whd'>;

/** One event at one endpoint. A redelivery starts it again. */
export interface WebhookDelivery {
  readonly id: WebhookDeliveryId;
  readonly workspaceId: WorkspaceId;
  readonly webhookId: WebhookId;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly status: WebhookDeliveryStatus;
  readonly attempts: number;
  /** When it is sent next; null unless it is pending. */
  readonly nextAttemptAt: Date | null;
  /** The latest attempt; null before the first. */
  readonly lastAttempt: WebhookAttempt | null;
  readonly createdAt: Date;
  /** When it was added, or last started again. */
  readonly startedAt: Date;
  readonly settledAt: Date | null;
}

export const webhookDeliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

export const webhookErrors = [
  'address_refused',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'invalid_response',
  'status',
  'disabled',
  'event_expired',
] as const;

/**
 * Why an attempt failed: the connection, a status other than 2xx, or nothing was sent because the endpoint was
 * disabled or the event is no longer stored.
 */
type WebhookError = (typeof webhookErrors)[number];

export interface WebhookAttempt {
  readonly at: Date;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  readonly latencyMs: number;
  /** The first kilobyte of the response, escaped; null without a response. */
  readonly responseHead: string | null;
  /** Null after a success. */
  readonly error: WebhookError | null;
}

/** A delivery that is due, with its event; null when the event is no longer stored. */
export interface DueWebhookDelivery {
  readonly id: WebhookDeliveryId;
  readonly eventId: EventId;
  readonly attempts: number;
  readonly event: Event | null;
  /** The trace of the event's cause (W3C Trace Context), where there was one. */
  readonly traceparent: string | null;
}

export const webhookSecretBinding = (id: WebhookId, generation: number): SealBinding => ({
  table: 'webhooks',
  row: id,
  field: 'secret',
  generation,
});

/** A signing secret of 256 random bits, from a random text in base64url. */
export const formatWebhookSecret = (random: string): Secret =>
  new Secret(`whsec_${random.replaceAll('-', '+').replaceAll('_', '/')}=`);
