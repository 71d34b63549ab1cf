import type { Event } from '../events/event.js';

/** Domain events, appended in the transaction of the change. */
export interface Events {
  append(event: Pick<Event, 'workspaceId' | 'type' | 'profileId' | 'data'>): Promise<void>;
}
