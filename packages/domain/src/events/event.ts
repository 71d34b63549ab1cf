import type { EventId, ProfileId, WorkspaceId } from '../ids.js';

export const eventTypes = [
  'connection.connected',
  'connection.degraded',
  'connection.needs_reauth',
  'connection.restored',
  'connection.disconnected',
  'post.scheduled',
  'post.updated',
  'post.published',
  'post.partially_published',
  'post.failed',
  'post.missed',
  'post.cancelled',
  'post.needs_review',
  'post.delivery_published',
  'post.delivery_failed',
  'media.failed',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'refund.needs_review',
  'approval.requested',
  'approval.decided',
  'key.created',
  'key.rotated',
  'key.revoked',
  'webhook.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

/**
 * A domain event, written in the transaction of the change. `data` is the public payload: wire names, never a
 * secret.
 */
export interface Event {
  readonly id: EventId;
  readonly workspaceId: WorkspaceId;
  readonly type: EventType;
  readonly profileId: ProfileId | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}
