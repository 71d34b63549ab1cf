import { z } from 'zod';

/** Where a list goes on. */
export interface OrderCursor {
  /** Shopify's cursor, which says after which order, so that nothing is lost or doubled when another arrives in front. */
  readonly after?: string | undefined;
  /** How many orders a page may have where Shopify found more of them too expensive. */
  readonly size?: number | undefined;
  /** How many orders were read with cursors that follow each other. */
  readonly read: number;
  /** Where a new row of cursors began: the time of the last order before it, and those of that time that were given. */
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

/** Only ever what `writePosition` wrote: cursors are authenticated. */
export const decodeCursor = (token: string | undefined): OrderCursor =>
  token === undefined ? { read: 0 } : position.parse(JSON.parse(token));
