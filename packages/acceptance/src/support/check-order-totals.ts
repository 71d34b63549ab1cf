import { expect } from '@jest/globals';
import { asObject, asObjects, type JsonObject } from './json.js';
import { parseMinor } from './sandbox-store.js';

const sumOf = (lines: unknown): number =>
  asObjects(lines).reduce((sum, { total }) => sum + parseMinor(total), 0);

/** The totals of an order recomputed from its lines: the number of minor units by which each differs. */
export function expectTotalsToAddUp({ number, totals, ...order }: JsonObject): void {
  const minor = (name: string) => parseMinor(asObject(totals)[name]);
  const [lines, shipping] = [sumOf(order['line_items']), sumOf(order['shipping_lines'])];
  expect({
    number,
    subtotal: minor('subtotal') - minor('discount') - lines,
    shipping: minor('shipping') - shipping,
    total: minor('total') - lines - shipping - minor('adjustments'),
    adjustments: minor('adjustments'),
  }).toEqual({ number, subtotal: 0, shipping: 0, total: 0, adjustments: 0 });
}
