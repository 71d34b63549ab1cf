/**
 * The position of a list: after the second of the last order, except for the listed orders of that second. It
 * stays correct when orders are added, trashed or changed meanwhile.
 */
export interface OrderCursor {
  readonly second: Date;
  /** External IDs of the orders already listed for that second. */
  readonly given: readonly string[];
}

export const encodeCursor = ({ second, given }: OrderCursor): string =>
  `${second.getTime() / 1_000}.${given.join(',')}`;

/** Always written by `writePosition`: cursors are authenticated. */
export function decodeCursor(token: string | undefined): OrderCursor | null {
  if (token === undefined) return null;
  const [second = '', given = ''] = token.split('.');
  return { second: new Date(Number(second) * 1_000), given: given.split(',') };
}

/** The position after a page; null if the page is empty. */
export function cursorAfter(
  page: readonly { readonly id: string; readonly at: Date }[],
  before: OrderCursor | null,
): OrderCursor | null {
  const last = page.at(-1);
  if (!last) return null;
  const same = page.filter(({ at }) => at.getTime() === last.at.getTime()).map(({ id }) => id);
  const earlier = before?.second.getTime() === last.at.getTime() ? before.given : [];
  return { second: last.at, given: [...earlier, ...same] };
}
