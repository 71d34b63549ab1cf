import type { OrderSort } from '../ports/platform.js';
import { comesBefore } from './order-filter.js';

/** What one store has to offer, in the asked order. */
export interface MergeSource<Item> {
  readonly items: readonly { readonly timeMs: number; readonly item: Item }[];
  /** Nothing follows after these. */
  readonly ended: boolean;
  /** How far the store was searched: whatever follows has this time or a later place. Null: not at all. */
  readonly searchedToMs: number | null;
}

export interface MergeResult<Item> {
  readonly items: readonly { readonly source: number; readonly item: Item }[];
  /** How many of each lane's items were taken. */
  readonly taken: readonly number[];
}

/**
 * Merges lanes into one list in the asked order. It stops early, with fewer than `limit`, where a lane that is used up but
 * not at its end might still hold something that comes first.
 */
export function mergeOrders<Item>(
  sources: readonly MergeSource<Item>[],
  sort: OrderSort,
  limit: number,
): MergeResult<Item> {
  const taken = sources.map(() => 0);
  const items: { source: number; item: Item }[] = [];
  while (items.length < limit) {
    const source = findEarliestSource(sources, taken, sort);
    const head = source === null ? undefined : sources[source]?.items[taken[source] ?? 0];
    if (source === null || head === undefined || mayBePreceded(head.timeMs, sources, taken, sort)) break;
    items.push({ source, item: head.item });
    taken[source] = (taken[source] ?? 0) + 1;
  }
  return { items, taken };
}

function findEarliestSource(
  sources: readonly MergeSource<unknown>[],
  taken: readonly number[],
  sort: OrderSort,
): number | null {
  let best: { source: number; timeMs: number } | null = null;
  for (const [source, { items }] of sources.entries()) {
    const head = items[taken[source] ?? 0];
    if (head && (best === null || comesBefore(head.timeMs, best.timeMs, sort)))
      best = { source, timeMs: head.timeMs };
  }
  return best?.source ?? null;
}

const mayBePreceded = (
  timeMs: number,
  sources: readonly MergeSource<unknown>[],
  taken: readonly number[],
  sort: OrderSort,
) =>
  sources.some(
    ({ items, ended, searchedToMs }, source) =>
      !ended &&
      (taken[source] ?? 0) === items.length &&
      (searchedToMs === null || comesBefore(searchedToMs, timeMs, sort)),
  );
