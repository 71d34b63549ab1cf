import type { Event, EventType } from '../events/event.js';
import type { NewEvent } from '../events/event-data.js';
import type { ProfileId, WorkspaceId } from '../ids.js';

/** A position in the events of a workspace: the sequence of the event before it, as text. */
export type EventPosition = string;

export interface EventFilter {
  /** Only events of these profiles; null for all, including those of no profile. */
  readonly reach: readonly ProfileId[] | null;
  /** All types when undefined. */
  readonly types?: readonly EventType[] | undefined;
}

export interface EventPage {
  readonly items: readonly Event[];
  /** Continue here: every event before this position was read, or does not match. */
  readonly position: EventPosition;
  /** Whether there may be matching events after the position now. */
  readonly hasMore: boolean;
  /** Whether an event was committed that is not listed yet because of an older running transaction. */
  readonly isPending: boolean;
}

/** The committed events of a workspace. */
export interface EventFeed {
  /**
   * Events after the position, or from the oldest, in an order that every reader sees alike. An event whose
   * transaction commits late is never skipped: events are listed as soon as no transaction is running that may
   * still add an earlier one. Events of one object are in the order of its changes. A call inspects a limited
   * number of events, so that a page may be empty although `hasMore`.
   */
  list(
    workspaceId: WorkspaceId,
    filter: EventFilter,
    page: { readonly after: EventPosition | null; readonly limit: number },
  ): Promise<EventPage>;
  /** The position after every event that can be listed now. */
  findEnd(): Promise<EventPosition>;
  /** The positions that enclose the events of a period; null when it has none. */
  findRange(
    workspaceId: WorkspaceId,
    since: Date,
    until: Date,
  ): Promise<{ readonly after: EventPosition; readonly through: EventPosition } | null>;
}

/** Domain events, appended in the transaction of the change. */
export interface Events extends EventFeed {
  append(event: NewEvent): Promise<void>;
}
