import { isWhole } from './exact.js';
import type { WireItem } from './wire.js';

/**
 * The items that amounts belong to: the parent of a configurable product, the parts of a bundle whose parts
 * have prices. The others are listed next to them for the same goods.
 */
export function countedItems(items: readonly WireItem[]): readonly WireItem[] {
  const childrenOf = (parent: WireItem) => items.filter(({ parent_item_id: id }) => id === parent.item_id);
  return items
    .filter(({ parent_item_id: parent }) => parent === undefined || parent === null)
    .flatMap((item) => {
      const children = childrenOf(item);
      return children.some((child) => child.base_row_total > 0n) ? children : [item];
    });
}

/** Whether an item represents others, or others represent it. */
export const hasRelatives = (item: WireItem, items: readonly WireItem[]): boolean =>
  items.some(
    ({ item_id: id, parent_item_id: parent }) => parent === item.item_id || id === item.parent_item_id,
  );

export const remainingQuantity = ({ qty_invoiced: invoiced, qty_refunded: refunded }: WireItem): bigint =>
  invoiced > refunded ? invoiced - refunded : 0n;

/** Goods sold by weight have no units: they can be refunded by amount. */
export const hasUnits = (item: WireItem): boolean =>
  [item.qty_ordered, item.qty_invoiced, item.qty_refunded].every(isWhole);
