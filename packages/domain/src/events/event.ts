import type { EventId, ProfileId, WorkspaceId } from '../ids.js';

export const eventTypes = [
  'connection.connected',
  'connection.degraded',
  'connection.needs_reauth',
  'connection.restored',
  'connection.disconnected',
  'post.created',
  'post.updated',
  'post.deleted',
  'post.removed_at_platform',
  'post.scheduled',
  'post.published',
  'post.partially_published',
  'post.failed',
  'post.missed',
  'post.cancelled',
  'post.needs_review',
  'post.delivery_published',
  'post.delivery_failed',
  'media.failed',
  'order.created',
  'order.updated',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'refund.needs_review',
  'approval.requested',
  'approval.decided',
  'key.created',
  'key.rotated',
  'key.revoked',
  'client.authorized',
  'client.revoked',
  'webhook.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

type EventGroup = EventType extends `${infer Group}.${string}` ? Group : never;

/** A type, or all types of one object: `post.*`. */
export type EventTypePattern = EventType | `${EventGroup}.*`;

const groupOf = (type: string) => `${type.slice(0, type.indexOf('.'))}.*`;

/** Every value that filters events by type. */
export const eventTypePatterns = [
  ...eventTypes,
  ...new Set(eventTypes.map(groupOf)),
] as readonly EventTypePattern[];

export const matchingEventTypes = (patterns: readonly EventTypePattern[]): readonly EventType[] =>
  eventTypes.filter((type) => patterns.some((pattern) => pattern === type || pattern === groupOf(type)));

/**
 * A domain event, written in the transaction of the change. `data` is the public payload (`EventDataOf`), as the
 * version that wrote it knew its type.
 */
export interface Event {
  readonly id: EventId;
  readonly workspaceId: WorkspaceId;
  readonly type: EventType;
  readonly profileId: ProfileId | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** Increases with every event of an object; other objects cause gaps. */
  readonly sequence: number;
}
