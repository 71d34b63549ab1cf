import type { Call } from '../call.js';
import type { Event } from '../events/event.js';
import { listEvents, type ListEventsCommand, type ListEventsPorts } from '../events/list-events.js';
import { ok, type Result } from '../result.js';

export type ListOrderChanges = Pick<ListEventsCommand, 'after' | 'profileId' | 'limit'>;

const types = ['order.created', 'order.updated'] as const;

export type OrderChange = Event & { readonly type: (typeof types)[number] };

interface OrderChanges {
  readonly items: readonly OrderChange[];
  readonly after: string;
  readonly hasMore: boolean;
}

const isOrderChange = (event: Event): event is OrderChange => types.some((type) => type === event.type);

/**
 * The changes of orders of the profiles that the key reaches, oldest first: a filter of the events, which continues at
 * the same positions.
 */
export async function listOrderChanges(
  ports: ListEventsPorts,
  call: Call,
  command: ListOrderChanges,
): Promise<Result<OrderChanges, 'profile.not_found' | 'request.invalid_cursor'>> {
  const listed = await listEvents(ports, call, { ...command, type: types, wait: 0 });
  return listed.ok ? ok({ ...listed.value, items: listed.value.items.filter(isOrderChange) }) : listed;
}
