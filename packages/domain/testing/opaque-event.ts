import type { Event } from '../src/events/event.js';
import type { NewEvent } from '../src/events/event-data.js';

/** An event whose data what is tested does not interpret: any will do, the same for every type. */
export const opaqueEvent = (
  event: Pick<Event, 'workspaceId' | 'type' | 'profileId'> & { readonly data?: object },
): NewEvent => ({ data: {}, ...event }) as NewEvent;
