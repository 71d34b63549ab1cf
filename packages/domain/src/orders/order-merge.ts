import type { OrderSort } from '../ports/platform.js';
import { comesBefore } from './order-filter.js';

/** What one store has to offer, in the asked order. */
export interface Lane<Item> {
  readonly items: readonly { readonly timeMs: number; readonly item: Item }[];
  /** Nothing follows after these. */
  readonly ended: boolean;
  /** How far the store was searched: whatever follows has this time or a later place. Null: not at all. */
  readonly searchedToMs: number | null;
}

export interface Merged<Item> {
  readonly items: readonly { readonly lane: number; readonly item: Item }[];
  /** How many of each lane's items were taken. */
  readonly taken: readonly number[];
}

/**
 * Merges lanes into one list in the asked order. It stops early, with fewer than `limit`, where a lane that is used up but
 * not at its end might still hold something that comes first.
 */
export function mergeOrders<Item>(
  lanes: readonly Lane<Item>[],
  sort: OrderSort,
  limit: number,
): Merged<Item> {
  const taken = lanes.map(() => 0);
  const items: { lane: number; item: Item }[] = [];
  while (items.length < limit) {
    const lane = firstLane(lanes, taken, sort);
    const head = lane === null ? undefined : lanes[lane]?.items[taken[lane] ?? 0];
    if (lane === null || head === undefined || mayBePreceded(head.timeMs, lanes, taken, sort)) break;
    items.push({ lane, item: head.item });
    taken[lane] = (taken[lane] ?? 0) + 1;
  }
  return { items, taken };
}

function firstLane(
  lanes: readonly Lane<unknown>[],
  taken: readonly number[],
  sort: OrderSort,
): number | null {
  let best: { lane: number; timeMs: number } | null = null;
  for (const [lane, { items }] of lanes.entries()) {
    const head = items[taken[lane] ?? 0];
    if (head && (best === null || comesBefore(head.timeMs, best.timeMs, sort)))
      best = { lane, timeMs: head.timeMs };
  }
  return best?.lane ?? null;
}

const mayBePreceded = (
  timeMs: number,
  lanes: readonly Lane<unknown>[],
  taken: readonly number[],
  sort: OrderSort,
) =>
  lanes.some(
    ({ items, ended, searchedToMs }, lane) =>
      !ended &&
      (taken[lane] ?? 0) === items.length &&
      (searchedToMs === null || comesBefore(searchedToMs, timeMs, sort)),
  );
