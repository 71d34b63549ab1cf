import { z } from 'zod';

/** The position of a list. */
export interface OrderCursor {
  /**
   * Shopify's cursor, which names an order, so that nothing is lost or duplicated when another arrives in
   * front.
   */
  readonly after?: string | undefined;
  /** The maximum page size after Shopify found a larger one too expensive. */
  readonly size?: number | undefined;
  /** How many orders were read with consecutive cursors. */
  readonly read: number;
  /**
   * The start of a new series of cursors: the time of the last order before it, and the already listed orders
   * of that time.
   */
  readonly from?: { readonly at: Date; readonly ids: readonly string[] } | undefined;
}

const position = z.object({
  after: z.string().exactOptional(),
  size: z.int().exactOptional(),
  read: z.int(),
  from: z
    .object({ at: z.iso.datetime().transform((text) => new Date(text)), ids: z.array(z.string()) })
    .exactOptional(),
});

export const encodeCursor = (at: OrderCursor): string => JSON.stringify(at);

/** Always written by `writePosition`: cursors are authenticated. */
export const decodeCursor = (token: string | undefined): OrderCursor =>
  token === undefined ? { read: 0 } : position.parse(JSON.parse(token));
