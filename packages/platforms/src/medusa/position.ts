/** Where a list goes on: an offset, and the newest order of the first page, past which new arrivals may not push it. */
export interface Position {
  readonly offset: number;
  readonly newest: Date | undefined;
}

export const writePosition = ({ offset, newest }: Position): string =>
  newest === undefined ? String(offset) : `${offset}.${newest.getTime()}`;

/** Only ever what `writePosition` wrote: cursors are authenticated. */
export function readPosition(token: string | undefined): Position {
  const [offset, newest] = (token ?? '0').split('.').map(Number);
  return { offset: offset ?? 0, newest: newest === undefined ? undefined : new Date(newest) };
}
