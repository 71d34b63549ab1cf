import { reachOf, type Call } from '../call.js';
import { addDecisionUrls, findDecisionUrl } from '../approvals/decision-link.js';
import type { EventFilter, EventPage, Ports } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { readUntil, withWaitingSlot } from '../read-until.js';
import { ok, type Result } from '../result.js';
import { matchingEventTypes, type Event, type EventTypePattern } from './event.js';

/** Starts with the next event instead of the oldest one. */
export const NOW = 'now';

export interface ListEventsCommand {
  /** The position that an earlier page ended with, or `now`; the oldest kept event when omitted. */
  readonly after?: string | undefined;
  readonly type?: readonly EventTypePattern[] | undefined;
  readonly profileId?: string | undefined;
  readonly limit: number;
  /** How long to wait for an event when there is none, in seconds. */
  readonly wait: number;
}

interface EventList {
  readonly items: readonly Event[];
  /** Continues the list; it stays valid when the events before it are deleted. */
  readonly after: string;
  readonly hasMore: boolean;
}

export type ListEventsPorts = Pick<
  Ports,
  'approvalLinks' | 'approvals' | 'changes' | 'clock' | 'cursors' | 'events' | 'profiles' | 'waitingSlots'
>;

/** How often, and how many times, to check whether an older transaction has ended. */
const PENDING_CHECK_MS = 50;
const PENDING_CHECKS = 20;

/**
 * The events that the key may read, oldest first. With a wait, and when no other request of the workspace uses
 * its last waiting slot, an empty list is returned only at the end of the wait.
 */
export async function listEvents(
  ports: ListEventsPorts,
  call: Call,
  { after, type, profileId, limit, wait }: ListEventsCommand,
): Promise<Result<EventList, 'profile.not_found' | 'request.invalid_cursor'>> {
  const { workspaceId, signal } = call;
  // The position is that of all events: the filter may change between two calls.
  const scope = { workspaceId, list: 'events', filter: null };
  const profile = profileId === undefined ? ok(null) : await findReachableProfile(ports, call, profileId);
  if (!profile.ok) return profile;
  const start = after === undefined || after === NOW ? ok(null) : ports.cursors.read(scope, after);
  if (!start.ok) return start;
  const filter: EventFilter = {
    reach: profile.value ? [profile.value.id] : reachOf(call),
    types: type && matchingEventTypes(type),
  };
  let position = after === NOW ? await ports.events.findEnd() : start.value;
  const read = async () => {
    const page = await ports.events.list(workspaceId, filter, { after: position, limit });
    ({ position } = page);
    return page;
  };
  const isFound = (page: EventPage) => page.items.length > 0 || page.hasMore;

  /** The commit that woke this request may be listed only when an older transaction ends. */
  const readPending = async () => {
    let next = await read();
    for (let checks = 0; checks < PENDING_CHECKS && next.isPending && !isFound(next); checks++) {
      await ports.clock.sleep(PENDING_CHECK_MS, signal);
      if (signal.aborted) break;
      next = await read();
    }
    return next;
  };
  const first = await read();
  const waitForEvents = () =>
    readUntil(ports, workspaceId, readPending, isFound, { waitMs: wait * 1000, signal });
  const found =
    wait > 0 && !isFound(first)
      ? await withWaitingSlot(ports, workspaceId, waitForEvents, () => Promise.resolve(first))
      : first;
  const page = found ?? first;
  const mayDecide = call.actor.kind === 'key' && call.actor.key.scopes.includes('approvals:write');
  const items = mayDecide
    ? await addDecisionUrls(ports, page.items, (approval) => findDecisionUrl(ports, call, approval))
    : page.items;
  return ok({ items, after: ports.cursors.write(scope, page.position), hasMore: page.hasMore });
}
