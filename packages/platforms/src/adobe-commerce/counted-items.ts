import { isWhole } from './exact.js';
import type { WireItem } from './wire.js';

/**
 * The items that money belongs to. Of a configurable product that is the parent, of a bundle whose parts have prices the parts;
 * the others stand beside them with the same goods.
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

/** Whether an item stands for others, or others for it. */
export const hasRelatives = (item: WireItem, items: readonly WireItem[]): boolean =>
  items.some(
    ({ item_id: id, parent_item_id: parent }) => parent === item.item_id || id === item.parent_item_id,
  );

export const remainingQuantity = ({ qty_invoiced: invoiced, qty_refunded: refunded }: WireItem): bigint =>
  invoiced > refunded ? invoiced - refunded : 0n;

/** What is sold by weight has no units: it can be refunded by amount. */
export const hasUnits = (item: WireItem): boolean =>
  [item.qty_ordered, item.qty_invoiced, item.qty_refunded].every(isWhole);
