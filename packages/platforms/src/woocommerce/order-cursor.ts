/**
 * Where a list goes on: behind the second of the last order, except for those of that second that were given. So it goes on
 * right whatever comes in, goes to the trash or changes meanwhile.
 */
export interface OrderCursor {
  readonly second: Date;
  /** External ids of what was given of that second. */
  readonly given: readonly string[];
}

export const encodeCursor = ({ second, given }: OrderCursor): string =>
  `${second.getTime() / 1_000}.${given.join(',')}`;

/** Only ever what `writePosition` wrote: cursors are authenticated. */
export function decodeCursor(token: string | undefined): OrderCursor | null {
  if (token === undefined) return null;
  const [second = '', given = ''] = token.split('.');
  return { second: new Date(Number(second) * 1_000), given: given.split(',') };
}

/** The place behind a page; null where nothing was on it. */
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
