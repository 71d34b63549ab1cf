import type { OrderSort } from '../ports/orders.js';
import { comesBefore } from './order-filter.js';

/** The results of one store, in the requested order. */
export interface MergeSource<Item> {
  readonly items: readonly { readonly timeMs: number; readonly item: Item }[];
  /** No further items follow. */
  readonly ended: boolean;
  /**
   * How far the store was searched: every further item has this time or a later position. Null: not at all.
   */
  readonly searchedToMs: number | null;
}

interface MergeResult<Item> {
  readonly items: readonly { readonly source: number; readonly item: Item }[];
  /** How many items of each lane were taken. */
  readonly taken: readonly number[];
}

/**
 * Merges lanes into one list in the requested order. It returns fewer than `limit` where an exhausted lane
 * that has not ended might still contain an item that comes first.
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
